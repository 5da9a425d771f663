import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  type Browser,
  type Page,
  reads,
  startBrowser,
  textsOf,
  type Viewed,
  view,
} from '@sluice/browser-test'
import { createLimiter, fixedWindow, slidingWindowLog, uniform } from '@sluice/core'
import { memorySink, recorder } from '@sluice/telemetry'
import { type Served, serve } from './served.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

/** Of each row its name, what it refused of all, and its fullest window. */
async function rowsOf(page: Page): Promise<string[]> {
  const [names, shares, peaks] = await Promise.all(
    ['.row h3', '.row .share', '.row .peak'].map((part) => textsOf(page, part)),
  )
  return (names ?? []).map((name, place) => [name, shares?.[place], peaks?.[place]].join(', '))
}

describe('the numbers of real limiters', () => {
  const seen = recorder(memorySink())
  const observers = [seen]
  const gift = createLimiter({ name: 'gift', policy: fixedWindow({ limit: 30, window: '1h' }), observers })
  const tiger = createLimiter({
    name: 'tiger',
    policies: {
      visitor: uniform({ interval: '1h' }),
      everybody: slidingWindowLog({ limit: 5, window: '1h' }),
    },
    observers,
  })
  let served: Served
  let viewed: Viewed

  beforeAll(async () => {
    served = await serve({ recorder: seen, limiters: [gift, tiger] })
    viewed = await view(browser, served.url)
  })
  afterAll(async () => {
    await Promise.all([served.close(), gift.close(), tiger.close(), seen.close()])
  })

  test('there are none before the first decision', async () => {
    const { page } = viewed
    await reads(page, '#status', 'Live')
    await reads(page, '#no-rows b', 'No decisions yet')
    await reads(page, '#no-keys b', 'No key is near its limit')
    await reads(page, '.totals .n', '0', '0', '–', '0', '0', '0')
  })

  test('the first decision shows within two seconds', async () => {
    const startMs = performance.now()
    await gift.check('bob')
    await reads(viewed.page, '#admitted', '1')
    expect(performance.now() - startMs).toBeLessThan(2000)
  })

  test('they are those that were sent, each request once in the totals', async () => {
    const { page } = viewed
    for (let i = 0; i < 49; i++) await gift.check('bob')
    for (let i = 0; i < 8; i++) await tiger.check({ visitor: `v${i % 4}`, everybody: 'all' })
    // Of 50 gifts 30; of 8 tickets 4, as each visitor may have one.
    await reads(page, '#admitted', '34')
    await reads(page, '#refused', '24')
    await reads(page, '#refused-sub', '41.4 % of all')
    expect(await rowsOf(page)).toEqual([
      'gift, refused 40.0 %, most in 1 h 30 of 30',
      'tiger / visitor, refused 50.0 %, fullest key 1 of 1',
      'tiger / everybody, refused 0.0 %, most in 1 h 4 of 5',
    ])
  })

  test.each([
    ['60', '% of 1 min', 'in 1 min'],
    ['900', '% of 15 min', 'in 15 min'],
    ['3600', '% of 1 h', 'in 1 h'],
  ])('they are the same over %s seconds', async (seconds, share, admitted) => {
    const { page } = viewed
    await page.locator(`.segments label:has(input[value="${seconds}"])`).click()
    await reads(page, '#share-of', share)
    await reads(page, '#admitted-sub', admitted)
    await reads(page, '#admitted', '34')
    expect((await rowsOf(page))[0]).toBe('gift, refused 40.0 %, most in 1 h 30 of 30')
  })

  test('nothing on the page complains', () => {
    expect(viewed.complaints).toEqual([])
  })
})
