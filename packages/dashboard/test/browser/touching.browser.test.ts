import { describe, expect, test } from '@jest/globals'
import { becomes, type Page, reads, touching, type ViewOptions } from '@sluice/browser-test'
import { fixedWindow, slidingWindowLog } from '@sluice/core'
import { awayStore, limiterOf, opened, recording, startReal } from './real.ts'

startReal()

const policies = {
  everybody: slidingWindowLog({ limit: 100, window: '10s' }),
  visitor: fixedWindow({ limit: 5, window: '1h' }),
}

/** Policies that refuse, and two without a request. */
async function busy(screen: ViewOptions): Promise<Page> {
  const { seen } = recording()
  const limiters = ['tiger', 'penguin', 'owl', 'quiet'].map((name) => limiterOf(name, policies, seen))
  const page = await opened({ recorder: seen, limiters, mayManage: () => true, maskKeys: false }, screen)
  for (const limiter of limiters.slice(0, -1))
    for (let i = 0; i < 7; i++) await limiter.check({ everybody: 'all', visitor: '203.0.113.7' })
  await becomes(() => page.locator('#key-list tr').count(), 3)
  await reads(page, '#idle-words', '2 policies without requests in 5 min')
  return page
}

/** A store that does not answer. */
async function away(screen: ViewOptions): Promise<Page> {
  const { seen } = recording()
  const { store } = awayStore()
  const limiter = limiterOf('tiger', policies, { observer: seen, store })
  const page = await opened({ recorder: seen, limiters: [limiter] }, screen)
  for (let i = 0; i < 7; i++) await limiter.check({ everybody: 'all', visitor: '203.0.113.7' })
  await reads(page, '#outage-local', '7')
  await becomes(() => page.locator('#key-list tr').count(), 1)
  return page
}

const touch = { hasTouch: true, isMobile: true, deviceScaleFactor: 2 }

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  test.each([
    [390, touch],
    [768, {}],
    [1280, {}],
  ])('no text touches a control or a line at %i px, with the dialog and without', async (width, more) => {
    const screen = { viewport: { width, height: 844 }, colorScheme, ...more }
    const page = await busy(screen)
    expect(await touching(page)).toEqual([])
    await page.getByRole('button', { name: 'Inspect' }).first().click()
    await reads(page, '#inspect-used', '5 of 5')
    expect(await touching(page)).toEqual([])
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    expect(await touching(page)).toEqual([])
    expect(await touching(await away(screen))).toEqual([])
  })
})
