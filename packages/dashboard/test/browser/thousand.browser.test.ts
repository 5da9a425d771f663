import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Browser, reads, startBrowser, view } from '@sluice/browser-test'
import { createLimiter, memoryStore, uniform } from '@sluice/core'
import { memorySink, recorder } from '@sluice/telemetry'
import { greeting, manyRows, nothing, secondAfter } from './scenes.ts'
import { serve } from './served.ts'
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

  test('say how many policies have none', async () => {
    const { page, close } = await shown(browser, greeting(rows.slice(0, 3), { cut: 1200 }))
    await reads(page, '#cut', '1,200 more policies are added up in the row “other”.')
    await close()
  })
})

test('the refusals of each of a thousand limiters are in its own row', async () => {
  const seen = recorder(memorySink())
  const store = memoryStore()
  const policy = uniform({ interval: '1h' })
  const limiters = Array.from({ length: 1000 }, (_, place) =>
    createLimiter({ name: `limiter${place}`, policy, store, observers: [seen] }),
  )
  const served = await serve({ recorder: seen, limiters })
  for (const limiter of limiters) for (let i = 0; i < 3; i++) await limiter.check('bob')
  const { page } = await view(browser, served.url)
  await page.locator('#refused').waitFor() // the past of four thousand series is read first
  await reads(page, '#refused', '2,000')
  await reads(page, '#policy-count', '50 of 1,000')
  await page.getByLabel('Filter').fill('limiter99')
  await reads(page, '.row .share .value', ...Array.from({ length: 11 }, () => '66.7'))
  expect(await page.locator('#cut').isVisible()).toBe(false)
  await page.context().close()
  await served.close()
  await seen.close()
})
