import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import type { Message, RowFacts } from '../../src/wire.ts'
import { startBrowser, view } from './chromium.ts'
import { reads, textsOf } from './reading.ts'
import { fromSecond, greeting, nothing, row, secondAfter } from './scenes.ts'
import { tellingServer } from './told.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

/** A page that has been told this, what was asked for, and what makes the page go. */
async function shown(messages: readonly Message[], more?: (url: string) => readonly Message[]) {
  const server = await tellingServer((url) => (url.includes('rows=all') && more ? more(url) : messages))
  const { page, complaints } = await view(browser, server.url)
  await reads(page, '#status', 'Live')
  async function close(): Promise<void> {
    await page.context().close()
    await server.close()
    expect(complaints).toEqual([])
  }
  return { page, server, close }
}

const named = (...names: readonly string[]): RowFacts[] => names.map((name) => row(name))
const many = (count: number) => named(...Array.from({ length: count }, (_, place) => `route${place}`))

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
    const { page, server, close } = await shown(greeting(named('tiger', 'owl')))
    server.tell(second(0, [[3, 1], [4, 0]]), second(1, [[12, 30], [0, 7]])) // biome-ignore format: pairs
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
    const { page, server, close } = await shown(greeting(named('tiger', 'owl')))
    server.tell(second(0, [[3, 1], [4, 0]])) // biome-ignore format: pairs
    await reads(page, '.admitted-now .value', '3', '4')
    await page.locator('#rows').focus()
    await page.keyboard.press('ArrowLeft')
    server.tell(second(1, [[9, 9], [9, 9]]), { ...second(2, [[8, 8], [8, 8]]), totals: { ...nothing, admitted: 77 } }) // biome-ignore format: pairs
    await reads(page, '#admitted', '77')
    expect(await nowOf(page)).toEqual(['3', '1', '4', '0'])
    await page.locator('#rows').blur()
    expect(await nowOf(page)).toEqual(['8', '8', '8', '8'])
    await close()
  })

  test('follows the pointer over any chart, and goes when it leaves', async () => {
    const { page, close } = await shown(greeting(named('tiger', 'owl')))
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

describe('rows', () => {
  test.each([
    [3, 260],
    [4, 96],
    [12, 96],
    [13, 44],
  ])('%i of them have charts %i px high', async (count, height) => {
    const { page, close } = await shown(greeting(many(count)))
    await reads(page, '#policy-count', String(count))
    expect((await page.locator('.chart').first().boundingBox())?.height).toBe(height)
    expect((await page.locator('.chart .uplot').first().boundingBox())?.height).toBe(height)
    await close()
  })

  test('say the limit that holds for each key, over which they are marked', async () => {
    const rows = [
      row('a'),
      row('b', { limit: 99 }),
      row('c', { limit: null, manyKeys: true }),
      row('d', { limit: null, policy: '' }),
    ]
    const { page, close } = await shown(greeting(rows))
    await reads(page, '.row h3', 'a / everybody', 'b / everybody', 'c / everybody', 'd')
    await reads(page, '.peak', '100 of 100', '100 of 99', '100 all keys', '100 no limit')
    expect(await page.locator('.over-mark:visible').count()).toBe(1)
    expect(await page.locator('.row:nth-child(2) .over-mark').isVisible()).toBe(true)
    await close()
  })

  test('describe their charts in a sentence of numbers', async () => {
    const { page, server, close } = await shown(greeting(named('tiger')))
    const told = { tiger: { admitted: 3000, refused: 1000, most: 112 } }
    server.tell(secondAfter(0, { totals: { ...nothing, rows: told } }))
    await reads(page, '.row .share', '25.0 %')
    expect(await page.locator('.chart').getAttribute('aria-label')).toBe(
      'tiger / everybody: in 5 minutes 3,000 admitted, 1,000 refused (25.0 %), most in 10 s 112 of 100.',
    )
    await close()
  })

  test('come in the order that is chosen', async () => {
    const [tiger, owl, seal] = [row('tiger'), row('owl', { limit: 50 }), row('seal')]
    const { page, server, close } = await shown(greeting([tiger, owl, seal]))
    server.tell(
      secondAfter(0, {
        rows: {
          tiger: { inWindow: 70, admitted: 1, refused: 1 },
          owl: { inWindow: 45, admitted: 1, refused: 1 },
          seal: { inWindow: 20, admitted: 1, refused: 1 },
        },
        totals: {
          ...nothing,
          rows: {
            tiger: { admitted: 9, refused: 5, most: 70 },
            owl: { admitted: 9, refused: 3, most: 45 },
            seal: { admitted: 9, refused: 8, most: 20 },
          },
        },
      }),
    )
    await page.locator('#order').selectOption('most refused')
    await reads(page, '.row .limiter', 'seal', 'tiger', 'owl')
    await page.locator('#order').selectOption('nearest to its limit')
    await reads(page, '.row .limiter', 'owl', 'tiger', 'seal')
    await page.locator('#order').selectOption('as configured')
    await reads(page, '.row .limiter', 'tiger', 'owl', 'seal')
    await close()
  })
})

describe('a thousand rows', () => {
  const rows = many(1000)
  const first = greeting(rows.slice(0, 50), { count: 1000 })

  test('are fifty until all are asked for, and only those in view are drawn', async () => {
    const { page, server, close } = await shown(first, () => greeting(rows))
    await reads(page, '#policy-count', '50 of 1,000')
    expect(await page.locator('.row').count()).toBe(50)
    await page.getByRole('button', { name: 'Show all 1,000' }).click()
    await reads(page, '#policy-count', '1,000')
    expect(server.asked).toEqual(['/stream?span=300', '/stream?span=300&rows=all'])
    expect(await page.locator('.row').count()).toBe(1000)
    expect(await page.locator('#more').isVisible()).toBe(false)
    expect(await page.locator('.uplot').count()).toBeLessThan(50)
    await page.locator('.row').last().scrollIntoViewIfNeeded()
    await page.locator('.row').last().locator('.uplot').waitFor()
    expect(await page.locator('.row').first().locator('.uplot').count()).toBe(0)
    await close()
  })

  test('are found by a part of their names', async () => {
    const { page, close } = await shown(first, () => greeting(rows))
    await page.getByLabel('Filter').fill('ROUTE99')
    await reads(
      page,
      '.row .limiter',
      'route99',
      ...Array.from({ length: 10 }, (_, place) => `route99${place}`),
    )
    await page.getByLabel('Filter').fill('nothing like it')
    await reads(page, '#no-match', 'No policy has this in its name.')
    await page.getByLabel('Filter').fill('')
    await reads(page, '#policy-count', '50 of 1,000')
    await close()
  })

  test('leave the page free to answer each second', async () => {
    const { page, server, close } = await shown(greeting(rows))
    await page.getByRole('button', { name: 'Show all 1,000' }).click()
    await reads(page, '#policy-count', '1,000')
    await page.evaluate(`
      var longTasks = []
      new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
        .observe({ type: 'longtask' })
    `)
    const units = Object.fromEntries(rows.map(({ id }) => [id, { inWindow: 5, admitted: 5, refused: 1 }]))
    for (let place = 0; place < 5; place++) {
      server.tell(secondAfter(place, { rows: units, totals: { ...nothing, admitted: place } }))
      await reads(page, '#admitted', String(place))
    }
    const spent = await page.evaluate<number>('Math.max(0, ...longTasks)')
    expect(spent).toBeLessThan(500)
    await close()
  })
})
