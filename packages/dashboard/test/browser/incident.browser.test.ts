import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Browser, becomes, type Page, reads, startBrowser, textsOf, view } from '@sluice/browser-test'
import { createLimiter, gcra, type Observer, type Policy, slidingWindowLog } from '@sluice/core'
import { memorySink, recorder } from '@sluice/telemetry'
import type { ShownLimiter } from '../../src/options.ts'
import { serve } from './served.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

/** The real dashboard of a real limiter, where everything is permitted. */
async function managed<L extends ShownLimiter & { close(): Promise<void> }>(
  make: (observer: Observer) => L,
): Promise<{ page: Page; limiter: L; close(): Promise<void> }> {
  const seen = recorder(memorySink())
  const limiter = make(seen)
  const served = await serve({ recorder: seen, limiters: [limiter], mayManage: () => true, maskKeys: false })
  const { page, complaints } = await view(browser, served.url)
  return {
    page,
    limiter,
    async close() {
      await page.context().close()
      await served.close()
      await limiter.close()
      await seen.close()
      expect(complaints).toEqual([])
    },
  }
}

const tiger = (policy: Policy) => (observer: Observer) =>
  createLimiter({ name: 'tiger', policy, observers: [observer] })

const inspect = (page: Page) => page.getByRole('button', { name: /^Inspect / }).click()

test('under the pointer each key stays where it is while others overtake it', async () => {
  const { page, limiter, close } = await managed(tiger(slidingWindowLog({ limit: 10, window: '1h' })))
  for (const [key, units] of Object.entries({ ann: 10, bob: 9, eve: 8 }))
    await limiter.check(key, { cost: units })
  await reads(page, '#key-list .key', 'ann', 'bob', 'eve')
  await page.locator('#key-list tr').nth(1).hover()
  await limiter.check('eve', { cost: 2 })
  for (let i = 0; i < 3; i++) await limiter.check('eve')
  await reads(page, '#key-list .refused-units', '0', '0', '3')
  expect(await textsOf(page, '#key-list .key')).toEqual(['ann', 'bob', 'eve'])
  await page.locator('h1, #h-events').first().hover()
  await reads(page, '#key-list .key', 'eve', 'ann', 'bob')
  await close()
})

test('a full log says when it has room, counts down, and asks again when the time has come', async () => {
  const { page, limiter, close } = await managed(tiger(slidingWindowLog({ limit: 2, window: '4s' })))
  await limiter.check('bob')
  await limiter.check('bob')
  await inspect(page)
  await reads(page, '#inspect-used', '2 of 2')
  await becomes(async () => /^in [0-3]\.\d s$/.test((await textsOf(page, '#inspect-next'))[0] ?? ''), true)
  // No decision reports the end of a window: the dialog has asked.
  await reads(page, '#inspect-used', '0 of 2')
  expect(await textsOf(page, '.info dd')).toEqual(['0 of 2', 'now', 'now', 'no'])
  await close()
})

test('a blocked key is not free before its block ends', async () => {
  const { page, limiter, close } = await managed(tiger(slidingWindowLog({ limit: 5, window: '1m' })))
  await limiter.check('bob', { cost: 5 })
  await limiter.block('bob', '10m')
  await inspect(page)
  await reads(page, '.info dd', '5 of 5', 'in 10 min', 'in 10 min', 'for 10 min')
  await close()
})

test('a penalized key says when its next request passes', async () => {
  const { page, limiter, close } = await managed((observer) =>
    createLimiter({
      policy: gcra({ count: 5, period: '5h', burst: 4, maxDebt: '5h' }),
      observers: [observer],
    }),
  )
  await limiter.check('bob', { cost: 5 })
  await limiter.penalize('bob', { default: 2 })
  await limiter.check('bob')
  await inspect(page)
  await reads(page, '.info dd', '5 of 5', 'in 3 h', 'in 7 h', 'no')
  await close()
})
