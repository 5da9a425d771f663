import { describe, expect, test } from '@jest/globals'
import { becomes, findings, type Page, reads, screens, textsOf } from '@sluice/browser-test'
import { type Lists, memoryStore, slidingWindowLog } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { limiterOf, opened, recording, startReal } from './real.ts'

startReal()

const onList: { readonly [key: string]: 'allow' | 'deny' | 'block' } = {
  mallory: 'deny',
  carol: 'block',
  dave: 'allow',
}

/** An hour is left of each entry. */
const lists: Lists = {
  ofAddress: () => undefined,
  ofKey: (key) => {
    const list = onList[String(key)]
    return list === undefined ? undefined : { list, endsInMs: 3_600_000 }
  },
}

/** What is there to inspect: a log of five in an hour, by a clock that only the test moves. */
async function desk(screen: (typeof screens)[string] | undefined) {
  const { seen } = recording()
  const clock = manualClock()
  const blockFor = { first: '1m', banAfter: 1, banFor: '30d' } as const
  const limiter = limiterOf(
    'login',
    { default: slidingWindowLog({ limit: 5, window: '1h', blockFor }) },
    { observer: seen, store: memoryStore({ clock }), lists: [lists] },
  )
  const page = await opened(
    { recorder: seen, limiters: [limiter], mayManage: () => true, maskKeys: false },
    screen,
  )
  return { page, limiter, clock }
}

async function lookUp(page: Page, key: string): Promise<void> {
  await becomes(() => page.locator('#find-in option').allTextContents(), ['login'])
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Look up' }).click()
}

const facts = async (page: Page) => {
  const [names, values] = await Promise.all(['.info dt', '.info dd'].map((part) => textsOf(page, part)))
  return Object.fromEntries((names ?? []).map((name, place) => [name, values?.[place]]))
}

describe.each(Object.entries(screens))('the dialog on %s', (_name, screen) => {
  test('says that a key is banned, asks before it lifts that, and is clean', async () => {
    const { page, limiter, clock } = await desk(screen)
    for (let i = 0; i < 6; i++) await limiter.check('eve')
    await clock.advance('1h')
    for (let i = 0; i < 6; i++) await limiter.check('eve')
    await lookUp(page, 'eve')
    await reads(page, '#inspect-blocked', 'banned, for 30 days')
    expect(await facts(page)).toEqual({
      Used: '5 of 5',
      'Next allowed': 'in 30 days',
      'Full limit again': 'in 30 days',
      Blocked: 'banned, for 30 days',
    })
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Unblock', exact: true }).click()
    expect(await textsOf(page, '#question')).toEqual([
      'Unblock eve of login? It may pass as its count allows.',
    ])
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Unblock eve' }).click()
    await reads(page, '#inspect-said', 'Unblocked.')
    await reads(page, '#inspect-blocked', 'no')
    expect(await findings(page)).toEqual([])
  })

  test('says that a key is never allowed, and by which list', async () => {
    const { page } = await desk(screen)
    await lookUp(page, 'mallory')
    await reads(page, '#inspect-next', 'never')
    expect(await facts(page)).toEqual({
      Used: '0 of 5',
      'Next allowed': 'never',
      'Full limit again': 'now',
      Blocked: 'no',
      'On a list': 'deny list: never admitted',
    })
    expect(await findings(page)).toEqual([])
  })

  test('shows what a search finds, and says where it finds nothing', async () => {
    const { page, limiter } = await desk(screen)
    for (const key of ['ann', 'anna', 'bob']) await limiter.check(key, { cost: 5 })
    await reads(page, '#key-list .key', 'ann', 'anna', 'bob')
    const field = page.getByLabel('Key', { exact: true })
    await field.fill('ANN')
    await reads(page, '#found', '2 keys found')
    // The list is drawn with the next frame.
    await reads(page, '#key-list .key', 'ann', 'anna')
    expect(await findings(page)).toEqual([])
    await field.fill('zoe')
    await reads(page, '#found', 'No known key matches. Look up asks for exactly this key.')
    expect(await findings(page)).toEqual([])
  })
})

test.each([
  ['carol', 'in 60 min', 'refuse list: refused until it ends'],
  ['dave', 'now', 'allow list: admitted without a count'],
])('the dialog says by which list %s passes %s', async (key, next, words) => {
  const { page } = await desk(undefined)
  await lookUp(page, key)
  await reads(page, '#inspect-next', next)
  expect((await facts(page))['On a list']).toBe(words)
})

test('a request for more than the limit leaves the key as it was', async () => {
  const { page, limiter } = await desk(undefined)
  expect((await limiter.check('bob', { cost: 6 })).retryAfterMs).toBeNull()
  await lookUp(page, 'bob')
  await reads(page, '.info dd', '0 of 5', 'now', 'now', 'no')
})
