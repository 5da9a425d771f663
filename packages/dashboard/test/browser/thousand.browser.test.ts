import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Browser, reads, startBrowser } from '@sluice/browser-test'
import { greeting, manyRows, nothing, secondAfter } from './scenes.ts'
import { shown } from './shown.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

describe('a thousand rows', () => {
  const rows = manyRows(1000)
  const first = greeting(rows.slice(0, 50), { count: 1000 })

  test('are fifty until all are asked for, and only those in view are drawn', async () => {
    const { page, server, close } = await shown(browser, first, { all: greeting(rows) })
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
    const { page, close } = await shown(browser, first, { all: greeting(rows) })
    await page.getByLabel('Filter').fill('ROUTE99')
    await reads(
      page,
      '.row .limiter',
      'route99',
      ...Array.from({ length: 10 }, (_, place) => `route99${place}`),
    )
    await page.getByLabel('Filter').fill('nothing like it')
    await reads(page, '#no-match', 'No policy matches')
    await page.getByLabel('Filter').fill('')
    await reads(page, '#policy-count', '50 of 1,000')
    await close()
  })

  test('leave the page free to answer each second', async () => {
    const { page, server, close } = await shown(browser, greeting(rows))
    await page.getByRole('button', { name: 'Show all 1,000' }).click()
    await reads(page, '#policy-count', '1,000')
    await page.evaluate(`
      var longTasks = []
      new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
        .observe({ type: 'longtask' })
    `)
    const units = Object.fromEntries(rows.map(({ id }) => [id, { inWindow: 5, admitted: 5, refused: 1 }]))
    for (let place = 0; place < 5; place++) {
      server.send(secondAfter(place, { rows: units, totals: { ...nothing, admitted: place } }))
      await reads(page, '#admitted', String(place))
    }
    const spent = await page.evaluate<number>('Math.max(0, ...longTasks)')
    expect(spent).toBeLessThan(500)
    await close()
  })
})
