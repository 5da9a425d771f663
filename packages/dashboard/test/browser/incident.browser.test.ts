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
  // What is above the list is there once the second has been shown in which they were charged.
  await reads(page, '#admitted', '27')
  await page.locator('#key-list tr').nth(1).hover()
  await becomes(() => page.locator('#held').isVisible(), true)
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

test('a key that no page shows is typed in, named again, and blocked', async () => {
  const { page, limiter, close } = await managed(tiger(slidingWindowLog({ limit: 5, window: '1h' })))
  await limiter.check('ann')
  await becomes(() => page.locator('#find-in option').allTextContents(), ['tiger'])
  await page.getByLabel('Key', { exact: true }).fill('203.0.113.66')
  await page.keyboard.press('Enter')
  await reads(page, '.info dd', '0 of 5', 'now', 'now', 'no')
  await page.getByRole('button', { name: 'Block', exact: true }).click()
  expect(await textsOf(page, '#question')).toEqual(['Block 203.0.113.66 of tiger for 10 min?'])
  await page.getByRole('button', { name: 'Block 203.0.113.66' }).click()
  await reads(page, '#inspect-blocked', 'for 10 min')
  expect((await limiter.peek('203.0.113.66')).reason).toBe('blocked')
  // It is now among those that are shown.
  await page.keyboard.press('Escape')
  await reads(page, '#key-list .key', '203.0.113.66')
  await close()
})

test('a key is found among all that are known, not only among those shown', async () => {
  const { page, limiter, close } = await managed(tiger(slidingWindowLog({ limit: 5, window: '1h' })))
  for (let i = 0; i < 30; i++) await limiter.check(`client-${i}`, { cost: 5 })
  await limiter.check('zoe', { cost: 4 })
  await becomes(() => page.locator('#key-list tr').count(), 20)
  await page.getByLabel('Key', { exact: true }).fill('ZOE')
  await reads(page, '#key-list .key', 'zoe')
  await reads(page, '#found', '1 key found')
  await page.getByLabel('Key', { exact: true }).fill('nobody')
  await reads(page, '#found', 'No known key matches. Look up asks for exactly this key.')
  await close()
})

test('a flood from one network is one line, whose keys are one click away', async () => {
  const { page, limiter, close } = await managed(tiger(slidingWindowLog({ limit: 5, window: '1h' })))
  for (let end = 1; end <= 30; end++) await limiter.check(`203.0.113.${end}`, { cost: 5 })
  await limiter.check('zoe', { cost: 4 })
  await reads(page, '#key-list .key', '203.0.113.0/24 (30 keys)', 'zoe')
  await page.getByRole('button', { name: 'Show the keys of tiger that begin with 203.0.113.' }).click()
  await reads(page, '#found', '20 keys found')
  await page
    .getByRole('button', { name: /^Inspect 203\.0\.113\.\d+ of tiger$/ })
    .first()
    .click()
  await reads(page, '#inspect-used', '5 of 5')
  await close()
})

test('an address shows somebody else the same span, order, filter and key', async () => {
  const { page, limiter, close } = await managed(tiger(slidingWindowLog({ limit: 5, window: '1h' })))
  await limiter.check('bob & co', { cost: 5 })
  await page.getByLabel('15 min', { exact: true }).check()
  await page.getByLabel('Order').selectOption('most refused')
  await inspect(page)
  await reads(page, '#inspect-used', '5 of 5')
  const address = page.url()
  const other = await browser.newPage()
  await other.goto(address)
  await reads(other, '#h-inspect', 'bob & co')
  await reads(other, '#inspect-used', '5 of 5')
  expect(await other.locator('[name=span]:checked').inputValue()).toBe('900')
  expect(await other.locator('#order').inputValue()).toBe('refused')
  await other.keyboard.press('Escape')
  await becomes(async () => new URL(other.url()).hash, '#span=900&order=refused')
  await other.close()
  await close()
})

test('an address whose key is none leaves the page as it is', async () => {
  const { page, limiter, close } = await managed(tiger(slidingWindowLog({ limit: 5, window: '1h' })))
  await limiter.check('bob', { cost: 5 })
  for (const key of ['%7B', '5', '[]', 'null']) {
    await page.goto(`${page.url().replace(/#.*/, '')}#key=${key}&span=7&order=constructor`)
    await page.reload()
    await reads(page, '#key-list .key', 'bob')
    expect(await page.locator('dialog').count()).toBe(0)
    expect(await page.locator('#order').inputValue()).toBe('configured')
  }
  await close()
})
