import path from 'node:path'
import { expect } from '@jest/globals'
import type { Page } from '@sluice/browser-test'

/** With SLUICE_SCREENSHOTS=1 the pictures of the documentation are made anew. */
export const forDocs: boolean = process.env.SLUICE_SCREENSHOTS === '1'

/** Where a picture is kept, for whoever wants to look at it. */
export const pictureAt = (name: string): string => path.resolve(__dirname, '../.tmp', `${name}.png`)

export const docsPictureAt = (name: string): string =>
  path.resolve(__dirname, '../../../docs/images', `${name}.png`)

/** Waits until a chart says that to who cannot see it. */
export async function chartSays(page: Page, attraction: string, words: string): Promise<void> {
  const chart = page.getByRole('img', { name: `Last minute at ${attraction}. ` })
  const said = async () => (await chart.getAttribute('aria-label')) ?? ''
  const giveUp = performance.now() + 15_000
  while (!(await said()).includes(words) && performance.now() < giveUp) await page.waitForTimeout(50)
  expect(await said()).toContain(words)
}

export const card = (page: Page, attraction: string): ReturnType<Page['locator']> =>
  page.locator('.card', { hasText: attraction })

/** How many points of an attraction's chart have the colour that a token names. As text: these files know no document. */
export function paintedOn(page: Page, attraction: string, token: string): Promise<number> {
  return page.evaluate(`(() => {
    const drawn = [...document.querySelectorAll('.card')].find((card) => card.textContent.includes('${attraction}'))
    const canvas = drawn.querySelector('canvas')
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true })
    copy.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('${token}')
    copy.fillRect(0, 0, 1, 1)
    const wanted = copy.getImageData(0, 0, 1, 1).data.join()
    copy.clearRect(0, 0, canvas.width, canvas.height)
    copy.drawImage(canvas, 0, 0)
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height)
    let found = 0
    for (let at = 0; at < data.length; at += 4) if (data.slice(at, at + 4).join() === wanted) found++
    return found
  })()`)
}
