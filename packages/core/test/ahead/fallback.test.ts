import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { type FailureChoice, type Limiter, type Policies, slidingWindowLog } from '../../src/index.ts'
import { FarServer, type Manner, pass } from './far-server.ts'

const limit = 200
const policies = { default: slidingWindowLog({ limit, window: '10s' }) }
const ahead = '1s'
const aheadMs = 1000
const deadlineMs = 100
const choices: readonly FailureChoice[] = ['local', 'allow', 'deny']

let server: FarServer
beforeEach(() => {
  jest.useFakeTimers()
  server = new FarServer()
})
afterEach(() => {
  jest.clearAllTimers()
  jest.useRealTimers()
})

type One = Limiter<typeof policies>

/** A process that has asked 20 times, and has more in hand; answers how many. */
async function warm(onStoreFailure: FailureChoice): Promise<{ limiter: One; inHand: number }> {
  const limiter = server.process(policies, { ahead, onStoreFailure })
  for (let i = 0; i < 20; i++) {
    const decision = limiter.check('hot')
    await pass(10)
    expect(await decision).toMatchObject({ allowed: true, source: 'far' })
  }
  const { inHand } = aheadOf(limiter)
  expect(inHand).toBeGreaterThan(2)
  return { limiter, inHand }
}

function aheadOf<P extends Policies>(limiter: Limiter<P>) {
  return limiter.health().ahead ?? { inHand: 0, decisions: 0 }
}

/** What comes of it, and after how many ms. */
async function timed<T>(answer: Promise<T>): Promise<{ value: T; ms: number }> {
  const askedAt = performance.now()
  let ms: number | undefined
  const over = answer.then((value) => {
    ms = performance.now() - askedAt
    return value
  })
  while (ms === undefined && performance.now() < askedAt + 1000) await pass(5)
  return { value: await over, ms: ms ?? Number.NaN }
}

/** What a check is told, and after how many ms. */
async function told(
  limiter: One,
): Promise<{ allowed: boolean; source: string; reason: unknown; ms: number }> {
  const { value, ms } = await timed(limiter.check('hot'))
  const { allowed, source, reason } = value
  return { allowed, source, reason, ms }
}

async function timesAllowed(limiter: One, times: number): Promise<number> {
  let allowed = 0
  for (let i = 0; i < times; i++) if ((await told(limiter)).allowed) allowed++
  return allowed
}

/** What each choice says without the store, while there is room. */
const without = {
  local: { allowed: true, source: 'fallback', reason: null },
  allow: { allowed: true, source: 'none', reason: null },
  deny: { allowed: false, source: 'none', reason: 'store-unavailable' },
}

describe.each(choices)('with onStoreFailure %s', (choice) => {
  it.each<Manner>(['refuses', 'hangs', 'loses replies'])(
    'units in hand are used up when the store %s, and after them it decides',
    async (manner) => {
      const { limiter, inHand } = await warm(choice)
      server.manner = manner
      for (let i = 0; i < inHand; i++)
        expect(await told(limiter)).toMatchObject({ allowed: true, source: 'far', ms: 0 })
      expect(aheadOf(limiter).inHand).toBe(0)
      expect(limiter.health().fallbackDecisions).toBe(0)
      expect(await told(limiter)).toMatchObject(without[choice])
      expect(limiter.health().fallbackDecisions).toBe(1)
      expect(limiter.health().status).not.toBe('ok')
    },
  )

  it('units in hand end in time, and after them it decides', async () => {
    const { limiter, inHand } = await warm(choice)
    server.manner = 'refuses'
    await pass(aheadMs - 300)
    expect(await told(limiter)).toMatchObject({ allowed: true, source: 'far' })
    expect(aheadOf(limiter).inHand).toBe(inHand - 1)
    await pass(200)
    expect(await told(limiter)).toMatchObject(without[choice])
    expect(aheadOf(limiter).inHand).toBe(0)
  })

  it('nothing is taken ahead where the store is away from the start, and each request is decided once', async () => {
    server.manner = 'refuses'
    const limiter = server.process(policies, { ahead, onStoreFailure: choice })
    for (let i = 0; i < 30; i++) {
      expect(await told(limiter)).toMatchObject(without[choice])
      await pass(50)
    }
    expect(aheadOf(limiter)).toEqual({ inHand: 0, decisions: 0 })
    expect(limiter.health().fallbackDecisions).toBe(30)
  })

  it.each<Manner>(['refuses', 'hangs', 'loses replies'])(
    'a renewal under way when the store %s takes nothing, and who waits for it waits for one deadline',
    async (manner) => {
      const { limiter } = await warm(choice)
      server.roundTripMs = 50
      // The last but one begins the renewal.
      const { length } = server.asked
      while (server.asked.length === length) expect(await told(limiter)).toMatchObject({ ms: 0 })
      const { inHand } = aheadOf(limiter)
      for (let i = 0; i < inHand; i++) expect(await told(limiter)).toMatchObject({ allowed: true, ms: 0 })
      await pass(10)
      server.manner = manner
      const late = await told(limiter)
      expect(late).toMatchObject(without[choice])
      expect(late.ms).toBeLessThanOrEqual(deadlineMs + 10)
      expect(limiter.health()).toMatchObject({ fallbackDecisions: 1, ahead: { inHand: 0 } })
    },
  )

  it('takes units ahead again when the store is back', async () => {
    const { limiter } = await warm(choice)
    server.manner = 'refuses'
    await pass(2 * aheadMs)
    await timesAllowed(limiter, 10)
    server.manner = 'answers'
    await pass(2 * aheadMs)
    expect(limiter.health().status).toBe('ok')
    const { fallbackDecisions } = limiter.health()
    const { decisions } = aheadOf(limiter)
    for (let i = 0; i < 10; i++) expect(await told(limiter)).toMatchObject({ source: 'far' })
    expect(aheadOf(limiter).decisions).toBeGreaterThan(decisions)
    expect(limiter.health().fallbackDecisions).toBe(fallbackDecisions)
  })
})

describe('what the fallback counts', () => {
  it('is what the store took for this process, without what was given back', async () => {
    const { limiter } = await warm('local')
    server.manner = 'refuses'
    await pass(2 * aheadMs)
    expect(await timesAllowed(limiter, limit)).toBe(limit - 20)
  })

  it('is each unit in hand that was used', async () => {
    const { limiter, inHand } = await warm('local')
    server.manner = 'refuses'
    expect(await timesAllowed(limiter, inHand)).toBe(inHand)
    await pass(2 * aheadMs)
    expect(await timesAllowed(limiter, limit)).toBe(limit - 20 - inHand)
  })

  it('is held against it where the server comes back empty, though only a renewal has met the outage', async () => {
    const { limiter, inHand } = await warm('local')
    server.manner = 'refuses'
    expect(await timesAllowed(limiter, inHand)).toBe(inHand)
    expect(limiter.health()).toMatchObject({ fallbackDecisions: 0, status: 'degraded' })
    server.lose()
    server.manner = 'answers'
    await pass(aheadMs)
    expect(await timesAllowed(limiter, 2 * limit)).toBe(limit - 20 - inHand)
  })
})

describe('policies of one request that go on in several ways', () => {
  const narrow = 100
  const log = (most: number) => slidingWindowLog({ limit: most, window: '10s' })
  const both = { wide: log(limit), narrow: log(narrow) }
  type Choices = { readonly wide: FailureChoice; readonly narrow: FailureChoice }

  async function warmed({ wide, narrow: other }: Choices, processes = 1) {
    const limiter = server.process(both, { ahead, onStoreFailure: { wide, narrow: other }, processes })
    for (let i = 0; i < 20; i++) {
      const decision = limiter.check('hot')
      await pass(10)
      expect((await decision).allowed).toBe(true)
    }
    return { limiter, inHand: aheadOf(limiter).inHand }
  }

  async function admittedOf(limiter: Limiter<typeof both>, times: number) {
    const answers = []
    for (let i = 0; i < times; i++) answers.push((await timed(limiter.check('hot'))).value)
    return answers
  }

  it.each<Choices>([
    { wide: 'local', narrow: 'deny' },
    { wide: 'allow', narrow: 'deny' },
  ])(
    'use up what is in hand of both, then narrow refuses ($narrow) what wide would not ($wide)',
    async (choices) => {
      const { limiter, inHand } = await warmed(choices)
      // Units of both policies, of which each request needs one.
      expect(inHand).toBeGreaterThan(4)
      server.manner = 'refuses'
      for (const answer of await admittedOf(limiter, inHand / 2))
        expect(answer).toMatchObject({ allowed: true, source: 'far' })
      expect(aheadOf(limiter).inHand).toBe(0)
      const [after] = await admittedOf(limiter, 1)
      const verdicts = { wide: { allowed: true }, narrow: { allowed: false, reason: 'store-unavailable' } }
      expect(after).toMatchObject({ allowed: false, reason: 'store-unavailable', verdicts })
    },
  )

  it('count in this process what it holds of one, while the other lets all pass', async () => {
    const { limiter, inHand } = await warmed({ wide: 'allow', narrow: 'local' })
    server.manner = 'refuses'
    await pass(2 * aheadMs)
    const answers = await admittedOf(limiter, 2 * narrow)
    expect(inHand).toBeGreaterThan(4)
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(narrow - 20)
  })

  it('have the share of one process of four in an outage, in which what was taken before is counted', async () => {
    const { limiter, inHand } = await warmed({ wide: 'local', narrow: 'local' }, 4)
    server.manner = 'refuses'
    const passed = (await admittedOf(limiter, inHand / 2)).filter(({ allowed }) => allowed).length
    expect(passed).toBe(inHand / 2)
    await pass(2 * aheadMs)
    const later = (await admittedOf(limiter, narrow)).filter(({ allowed }) => allowed).length
    expect(passed + later + 20).toBe(Math.max(narrow / 4, passed + 20))
  })
})

describe('no request waits longer than the deadline', () => {
  it('where the store is slow and has no room for as many as were wanted', async () => {
    const { limiter, inHand } = await warm('deny')
    const other = server.process(policies, { ahead, onStoreFailure: 'deny' })
    await timesAllowed(limiter, inHand)
    await pass(aheadMs)
    // What has ended in its hand goes back.
    await timed(limiter.peek('hot'))
    const { remaining } = (await timed(other.peek('hot'))).value
    await timed(other.check('hot', { cost: remaining - 6 }))
    server.roundTripMs = 80
    const { length } = server.asked
    const late = await told(limiter)
    // As many as lately, for which there is no room, then fewer.
    expect(server.asked.slice(length)).toEqual([20 + inHand, expect.any(Number)])
    expect(late).toMatchObject(without.deny)
    expect(late.ms).toBeLessThanOrEqual(deadlineMs + 10)
  })
})
