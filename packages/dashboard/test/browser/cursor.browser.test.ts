import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Browser, type Page, reads, startBrowser, textsOf } from '@sluice/browser-test'
import { fromSecond, greeting, nothing, rowsNamed, secondAfter } from './scenes.ts'
import { shown } from './shown.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

/** Admitted and refused of one second in a scene of two rows. */
const second = (place: number, units: readonly (readonly [admitted: number, refused: number])[]) =>
  secondAfter(place, {
    rows: Object.fromEntries(
      units.map(([admitted, refused], i) => [['tiger', 'owl'][i], { inWindow: admitted, admitted, refused }]),
    ),
  })

const nowOf = (page: Page) => textsOf(page, '.admitted-now .value, .refused-now .value')

describe('the time cursor', () => {
  const clockOf = (page: Page, at: number) =>
    page.evaluate((ms) => `at ${new Date(ms).toLocaleTimeString('en-GB')}`, at * 1000)

  test('goes through all rows by the arrow keys, and lets go by Escape', async () => {
    const { page, server, close } = await shown(browser, greeting(rowsNamed('tiger', 'owl')))
    server.send(second(0, [[3, 1], [4, 0]]), second(1, [[12, 30], [0, 7]])) // biome-ignore format: pairs
    await reads(page, '.admitted-now .value', '12', '0')
    await page.locator('#rows').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    expect(await nowOf(page)).toEqual(['3', '1', '4', '0'])
    expect(await textsOf(page, '#cursor-time')).toEqual([await clockOf(page, fromSecond + 300)])
    await page.keyboard.press('ArrowRight')
    expect(await nowOf(page)).toEqual(['12', '30', '0', '7'])
    await page.keyboard.press('ArrowRight')
    expect(await textsOf(page, '#cursor-time')).toEqual([await clockOf(page, fromSecond + 301)])
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Escape')
    expect(await nowOf(page)).toEqual(['12', '30', '0', '7'])
    expect(await textsOf(page, '#cursor-time')).toEqual(['Policy'])
    await close()
  })

  test('stays at its second while the charts step on', async () => {
    const { page, server, close } = await shown(browser, greeting(rowsNamed('tiger', 'owl')))
    server.send(second(0, [[3, 1], [4, 0]])) // biome-ignore format: pairs
    await reads(page, '.admitted-now .value', '3', '4')
    await page.locator('#rows').focus()
    await page.keyboard.press('ArrowLeft')
    server.send(second(1, [[9, 9], [9, 9]]), { ...second(2, [[8, 8], [8, 8]]), totals: { ...nothing, admitted: 77 } }) // biome-ignore format: pairs
    await reads(page, '#admitted', '77')
    expect(await nowOf(page)).toEqual(['3', '1', '4', '0'])
    await page.locator('#rows').blur()
    expect(await nowOf(page)).toEqual(['8', '8', '8', '8'])
    await close()
  })

  test('follows the pointer over any chart, and goes when it leaves', async () => {
    const { page, close } = await shown(browser, greeting(rowsNamed('tiger', 'owl')))
    const box = await page.locator('.chart').nth(1).boundingBox()
    if (box === null) throw new Error('There is no chart.')
    const gutter = 40
    const x = box.x + gutter + ((box.width - gutter) * 150.5) / 300
    await page.mouse.move(x, box.y + 20)
    expect(await textsOf(page, '#cursor-time')).toEqual([await clockOf(page, fromSecond + 150)])
    const lines = page.locator('.u-cursor-x')
    for (const line of await lines.all())
      expect(Math.abs(((await line.boundingBox())?.x ?? 0) - x)).toBeLessThan(3)
    expect(await lines.count()).toBe(2)
    await page.mouse.move(x, 5)
    expect(await textsOf(page, '#cursor-time')).toEqual(['Policy'])
    await close()
  })
})
