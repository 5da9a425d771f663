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
