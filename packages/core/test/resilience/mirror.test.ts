import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import fc from 'fast-check'
import {
  attributedWindow,
  createLimiter,
  fairShare,
  fixedWindow,
  gcra,
  multiWindow,
  notApplicable,
  type Policy,
  type Question,
  reservable,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '../../src/index.ts'
import { MemoryStore } from '../../src/memory/store.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'
import { type One, type Patient, quiet, Server } from './server.ts'

let server: Server
beforeEach(() => {
  jest.useFakeTimers()
  server = new Server()
})
afterEach(() => {
  jest.clearAllTimers()
  jest.useRealTimers()
})

async function admitted(limiter: Pick<One, 'check'>, times: number): Promise<number> {
  let count = 0
  for (let i = 0; i < times; i++) if ((await limiter.check('k')).allowed) count++
  return count
}

/** How long each of so many reservations waits; null: refused. */
async function waits(limiter: Patient, times: number): Promise<(number | null)[]> {
  const all: (number | null)[] = []
  for (let i = 0; i < times; i++) {
    const { allowed, waitMs } = await limiter.reserve('k', { maxWait: '3s' })
    all.push(allowed ? waitMs : null)
  }
  return all
}

describe('reservations', () => {
  const oneASecond = gcra({ count: 1, period: '1s' })

  it('go on from what this process has reserved', async () => {
    const [one] = server.patient(1, oneASecond)
    expect(await waits(one, 2)).toEqual([0, 1000])
    server.go()
    expect(await waits(one, 3)).toEqual([2000, 3000, null])
  })

  it('are kept also where nobody asks until a full limit would be back', async () => {
    const window = fixedWindow({ limit: 1, window: '1s', start: 'clock' })
    const [one] = server.patient(1, reservable(window, { maxDebt: '3s' }))
    server.go()
    expect(await waits(one, 4)).toEqual([0, 1000, 2000, 3000])
    server.lose()
    server.away = false
    await server.pass(2500)
    expect(await one.check('k')).toMatchObject({ allowed: false, source: 'fallback' })
  })

  it.each([
    fixedWindow({ limit: 1, window: '1s' }),
    slidingWindowLog({ limit: 1, window: '1s' }),
    slidingWindowCounter({ limit: 1, window: '500ms' }),
    multiWindow({ limits: [{ limit: 1, window: '1s' }] }),
  ])('of a window count in an outage from when their callers go on: $strategy', async (window) => {
    const policy = reservable(window, { maxDebt: '3s' })
    const [one] = server.patient(1, policy)
    // Asked the same, and never without its counts.
    const other = createLimiter({ policy, store: new MemoryStore(1000, server.clock) })
    for (let i = 0; i < 3; i++) {
      const { waitMs } = await other.reserve('k', { maxWait: '3s' })
      expect(await waits(one, 1)).toEqual([waitMs])
    }
    server.go()
    const admitted: boolean[] = []
    for (let i = 0; i < 12; i++) {
      await server.pass(301)
      const { allowed } = await one.check('k')
      expect(allowed).toBe((await other.check('k')).allowed)
      admitted.push(allowed)
    }
    expect(admitted.slice(0, 3)).toEqual([false, false, false])
    expect(admitted).toContain(true)
  })

  it('hold beyond the time in which a full limit recovers', async () => {
    const [one] = server.patient(1, oneASecond)
    expect(await waits(one, 4)).toEqual([0, 1000, 2000, 3000])
    await server.pass(2500)
    server.go()
    expect(await waits(one, 1)).toEqual([1500])
  })

  it('wait in an outage at least until the store would have let the key pass', async () => {
    const [one, other] = server.patient(2, oneASecond)
    expect(await waits(other, 4)).toEqual([0, 1000, 2000, 3000])
    expect(await waits(one, 1)).toEqual([null])
    server.go()
    await server.pass(500)
    // Refused with 4 s to go: a second more than it would have waited.
    expect(await waits(one, 1)).toEqual([null])
    await server.pass(1000)
    expect(await waits(one, 1)).toEqual([2500])
    expect(await one.check('k')).toMatchObject({ allowed: false, source: 'fallback' })
  })

  it.each<Policy<'reserve'>>([
    uniform({ interval: '500ms' }),
    gcra({ count: 1, period: '500ms' }),
    tokenBucket({ capacity: 1, count: 1, period: '500ms' }),
    reservable(fixedWindow({ limit: 1, window: '500ms' }), { maxDebt: '3s' }),
    reservable(slidingWindowLog({ limit: 1, window: '500ms' }), { maxDebt: '3s' }),
    reservable(slidingWindowCounter({ limit: 1, window: '500ms' }), { maxDebt: '3s' }),
    reservable(multiWindow({ limits: [{ limit: 1, window: '500ms' }] }), { maxDebt: '3s' }),
  ])(
    'wait in an outage, behind each other, until the store would have let the key pass: $strategy',
    async (policy) => {
      const [one, other] = server.patient(2, policy)
      await waits(other, 1)
      const { retryAfterMs } = await one.check('k')
      server.go()
      const [firstMs, secondMs] = await waits(one, 2)
      expect(firstMs).toBe(retryAfterMs)
      expect(secondMs).toBeGreaterThanOrEqual(Number(firstMs) + 500)
      await server.pass(100)
      const [thirdMs] = await waits(one, 1)
      expect(thirdMs).toBeGreaterThanOrEqual(Number(secondMs) - 100 + 500)
    },
  )

  it('wait after an outage as long as the later of both says', async () => {
    const [one] = server.patient(1, oneASecond)
    server.go()
    expect(await waits(one, 3)).toEqual([0, 1000, 2000])
    server.away = false
    await server.pass(700)
    expect(await one.reserve('k', { maxWait: '3s' })).toMatchObject({ waitMs: 2300, source: 'server' })
    expect(await waits(one, 1)).toEqual([null])
  })
})

describe('when the server goes away', () => {
  // biome-ignore format: a table
  it.each<[string, Policy]>([
    ['slidingWindowLog', slidingWindowLog({ limit: 5, window: '10s' })],
    ['fixedWindow',      fixedWindow({ limit: 5, window: '10s' })],
    ['gcra',             gcra({ count: 5, period: '10s' })],
    ['tokenBucket',      tokenBucket({ capacity: 5, count: 1, period: '2s' })],
  ])('a process knows what it had admitted: %s', async (_name, policy) => {
    const [one] = server.processes(1, policy) as readonly [One]
    expect(await admitted(one, 3)).toBe(3)
    server.go()
    const decision = await one.check('k')
    expect(decision).toMatchObject({ allowed: true, remaining: 1, source: 'fallback' })
    expect(await admitted(one, 5)).toBe(1)
  })

  it('whoever another process has exhausted stays refused, as long as the server said', async () => {
    const [one, other] = server.processes(2, slidingWindowLog({ limit: 5, window: '10s' })) as readonly [
      One,
      One,
    ]
    await admitted(one, 5)
    expect((await other.check('k')).retryAfterMs).toBe(10_000)
    server.go()
    await server.pass(9999)
    expect(await other.check('k')).toMatchObject({
      allowed: false,
      reason: 'limited',
      retryAfterMs: 1,
      source: 'fallback',
    })
    await server.pass(1)
    expect((await other.check('k')).allowed).toBe(true)
  })

  it('a refusal of a large cost refuses no smaller one', async () => {
    const [one, other] = server.processes(2, slidingWindowLog({ limit: 5, window: '10s' })) as readonly [
      One,
      One,
    ]
    await admitted(one, 3)
    expect((await other.check('k', { cost: 3 })).allowed).toBe(false)
    server.go()
    expect((await other.check('k', { cost: 3 })).allowed).toBe(false)
    expect((await other.check('k', { cost: 2 })).allowed).toBe(true)
  })

  it('a refusal by numbers that a call has chosen refuses no call by others, and neither replaces the other', async () => {
    const free = slidingWindowLog({ limit: 2, window: '10s' })
    const paid = slidingWindowLog({ limit: 5, window: '10s' })
    const [one, other] = server.processes(2, free) as readonly [One, One]
    await admitted(one, 2)
    await server.pass(1000)
    for (let i = 0; i < 2; i++) await one.check('k', { policy: paid })
    expect(await other.check('k')).toMatchObject({ allowed: false, retryAfterMs: 10_000 })
    expect(await other.check('k', { policy: paid, cost: 2 })).toMatchObject({
      allowed: false,
      retryAfterMs: 9000,
    })
    server.go()
    expect((await other.check('k', { policy: paid })).allowed).toBe(true)
    await server.pass(9500)
    expect(await other.check('k')).toMatchObject({ allowed: false, retryAfterMs: 500, source: 'fallback' })
    expect((await other.check('k', { policy: paid, cost: 2 })).allowed).toBe(true)
  })

  it('a client that asked for too much stays no other’s refusal', async () => {
    const [one] = server.processes(1, fairShare({ limit: 4, window: '10s' })) as readonly [One]
    const ask = (note: string, cost = 1) => one.check('k', { note, cost })
    await ask('noisy', 4)
    await ask('quiet', 2)
    await server.pass(10_000)
    expect((await ask('noisy', 2)).allowed).toBe(true)
    expect((await ask('noisy')).allowed).toBe(false)
    server.go()
    expect(await ask('quiet')).toMatchObject({ allowed: true, source: 'fallback' })
    // What the server had taken is counted, whoever took it.
    expect((await ask('quiet', 2)).allowed).toBe(false)
  })

  it('what was given back is not held against a key', async () => {
    const [one] = server.processes(1, slidingWindowLog({ limit: 3, window: '10s' })) as readonly [One]
    for (let i = 0; i < 5; i++) await (await one.check('k')).refund()
    server.go()
    expect(await admitted(one, 5)).toBe(3)
  })

  it.each([
    slidingWindowLog({ limit: 4, window: '10s' }),
    attributedWindow({ limit: 4, window: '10s' }),
    fixedWindow({ limit: 4, window: '10s' }),
  ])(
    'all that the server took is given back behind a unit of this process’s own: $strategy',
    async (policy) => {
      const [one] = server.processes(1, policy) as readonly [One]
      const decision = await one.check('k', { cost: 2 })
      server.go()
      expect(await one.check('k')).toMatchObject({ allowed: true, source: 'fallback' })
      await decision.refund()
      expect(await admitted(one, 5)).toBe(3)
    },
  )

  it('a refund is also room for whoever the server had refused before', async () => {
    const [one] = server.processes(1, slidingWindowLog({ limit: 1, window: '10s' })) as readonly [One]
    const decision = await one.check('k')
    expect((await one.check('k')).allowed).toBe(false)
    await decision.refund()
    server.go()
    expect(await admitted(one, 5)).toBe(1)
  })

  // biome-ignore format: a table
  it.each<[string, Policy, number, number]>([
    // strategy          policy                                               processes  admitted by each of three
    ['slidingWindowLog', slidingWindowLog({ limit: 7, window: '10s' }),       3,    2],
    ['slidingWindowLog', slidingWindowLog({ limit: 2, window: '10s' }),       3,    1],
    ['fixedWindow',      fixedWindow({ limit: 9, window: '10s' }),            3,    3],
    ['gcra',             gcra({ count: 9, period: '9s' }),                    3,    3],
    ['tokenBucket',      tokenBucket({ capacity: 9, count: 1, period: '1s' }), 3,   3],
    ['uniform',          uniform({ interval: '10s' }),                        3,    1],
  ])('processes that know how many they are share the limit: %s', async (_name, policy, processes, each) => {
    server.go()
    for (const limiter of server.processes(3, policy, processes)) expect(await admitted(limiter, 20)).toBe(each)
  })

  it.each([() => Number.NaN, () => 0, () => -3])(
    'a function that answers no count leaves the whole limit: %s',
    async (processes) => {
      server.go()
      const store = guard(server.store(), readGuardOptions({ processes }), server.clock)
      const limiter = createLimiter({
        policy: fixedWindow({ limit: 5, window: '10s' }),
        store,
        logger: quiet,
      })
      expect(await admitted(limiter, 9)).toBe(5)
    },
  )

  it('a function that throws leaves the whole limit, and the request its answer', async () => {
    server.go()
    const processes = () => {
      throw new Error('no workers')
    }
    const store = guard(server.store(), readGuardOptions({ processes }), server.clock)
    const limiter = createLimiter({ policy: fixedWindow({ limit: 5, window: '10s' }), store, logger: quiet })
    expect(await admitted(limiter, 9)).toBe(5)
  })

  it('a rate is shared too', async () => {
    server.go()
    const [one] = server.processes(1, uniform({ interval: '10s' }), 3) as readonly [One]
    await one.check('k')
    expect((await one.check('k')).retryAfterMs).toBe(30_000)
  })
})

describe('what is done by hand', () => {
  const policy = slidingWindowLog({ limit: 5, window: '10s' })

  function processes(count: number) {
    return Array.from({ length: count }, () => {
      const store = guard(server.store(), readGuardOptions({}), server.clock)
      return createLimiter({ policy, store, logger: quiet })
    })
  }

  it('lets a rewarded key pass in an outage that begins then, though the server had refused it', async () => {
    const [one, other] = processes(2)
    if (one === undefined || other === undefined) throw new Error('two were made')
    expect(await admitted(one, 5)).toBe(5)
    expect(await admitted(other, 1)).toBe(0)
    await one.reward('k', 2)
    await other.reward('k', 2)
    server.go()
    expect(await admitted(one, 9)).toBe(2)
    // It has admitted nothing itself, and what the server answered no longer holds.
    expect(await admitted(other, 9)).toBe(5)
  })

  it('lets a key pass in the middle of an outage, too: reward and set', async () => {
    const [one] = processes(1)
    await one?.check('k', { cost: 5 })
    server.go()
    expect(await one?.check('k')).toMatchObject({ allowed: false, source: 'fallback' })
    await expect(one?.reward('k', 1)).resolves.toBeUndefined()
    expect(await one?.check('k')).toMatchObject({ allowed: true, remaining: 0, source: 'fallback' })
    await expect(one?.set('k', 2)).rejects.toMatchObject({ code: 'SLUICE_STORE' })
    expect(await one?.check('k')).toMatchObject({ allowed: true, remaining: 2, source: 'fallback' })
  })

  it('sets what counts in an outage that begins then', async () => {
    const [one, other] = processes(2)
    if (one === undefined || other === undefined) throw new Error('two were made')
    await admitted(one, 5)
    await admitted(other, 1)
    await other.set('k', 4)
    expect(await other.check('k')).toMatchObject({ allowed: true, remaining: 0, source: 'server' })
    await one.set('k', 0)
    server.go()
    expect(await admitted(one, 9)).toBe(5)
    expect(await admitted(other, 9)).toBe(0)
  })

  it('leaves a key blocked that another process has blocked: reward, set, and a refund', async () => {
    const [one, other] = processes(2)
    const decision = await other?.check('k')
    await one?.block('k', '1m')
    expect(await other?.check('k')).toMatchObject({ reason: 'blocked' })
    await other?.reward('k', 1)
    await other?.set('k', 0)
    await decision?.refund()
    server.go()
    expect(await other?.check('k')).toMatchObject({ reason: 'blocked', source: 'fallback' })
  })
})

describe('a policy that blocks', () => {
  const policy = fixedWindow({
    limit: 2,
    window: '10s',
    blockFor: { first: '1m', banAfter: 1, banFor: '1h' },
  })

  it('refuses in an outage what the server has blocked, at any cost, until the block ends', async () => {
    const [one, other] = server.processes(2, policy) as readonly [One, One]
    await admitted(one, 3)
    expect(await other.check('k')).toMatchObject({ reason: 'blocked', source: 'server' })
    server.go()
    await server.pass(59_000)
    for (const each of [one, other])
      expect(await each.check('k')).toMatchObject({
        reason: 'blocked',
        source: 'fallback',
        retryAfterMs: 1000,
      })
    await server.pass(1000)
    expect(await one.check('k')).toMatchObject({ allowed: true, source: 'fallback' })
  })

  it('blocks and bans in an outage, each process for itself, and lifts that by hand', async () => {
    const [one, other] = server.processes(2, policy) as readonly [One, One]
    server.go()
    await admitted(one, 3)
    expect(await one.check('k')).toMatchObject({ reason: 'blocked', source: 'fallback' })
    expect((await other.check('k')).allowed).toBe(true)
    await server.pass(60_000)
    await admitted(one, 2)
    expect(await one.check('k')).toMatchObject({ reason: 'banned', retryAfterMs: 3_600_000 })
    await one.unblock('k').catch(() => {})
    await server.pass(10_000)
    expect((await one.check('k')).allowed).toBe(true)
  })

  it.each([1, 4])(
    'holds what it has blocked in an outage for as long as that matters: one of %s',
    async (processes) => {
      const [one] = server.processes(1, policy, processes) as readonly [One]
      server.go()
      await admitted(one, 3)
      server.away = false
      await server.pass(1000)
      expect(await one.check('k')).toMatchObject({ reason: 'blocked', retryAfterMs: 59_000 })
      await server.pass(10_000)
      expect(await one.check('k')).toMatchObject({ allowed: true, source: 'server' })
    },
  )

  it('is asked for each request where requests prolong a block', async () => {
    const growing = fixedWindow({ limit: 1, window: '10s', blockFor: { first: '1m', prolong: true } })
    const [one] = server.processes(1, growing) as readonly [One]
    await admitted(one, 2)
    await server.pass(50_000)
    expect(await one.check('k')).toMatchObject({ reason: 'blocked', retryAfterMs: 60_000 })
    server.go()
    await server.pass(55_000)
    expect(await one.check('k')).toMatchObject({ reason: 'blocked', source: 'fallback' })
  })
})

describe('when the server is back, and empty', () => {
  it('a request passes only if both allow, for as long as the outage matters', async () => {
    const [one] = server.processes(1, slidingWindowLog({ limit: 5, window: '10s' })) as readonly [One]
    await one.check('k')
    server.go()
    expect(await admitted(one, 10)).toBe(4)
    server.lose()
    server.away = false
    await server.pass(1000)
    expect(one.health().status).toBe('ok')
    expect(await one.check('k')).toMatchObject({ allowed: false, reason: 'limited', retryAfterMs: 9000 })
    await server.pass(9000)
    expect(await one.check('k')).toMatchObject({ allowed: true, remaining: 4, source: 'server' })
  })

  it('a share of a rate is over with the outage: what was admitted by it matters for one interval of the policy', async () => {
    const [one] = server.processes(1, uniform({ interval: '10s' }), 3) as readonly [One]
    server.go()
    // Whatever it costs, it is one request.
    await one.check('k', { cost: 3 })
    server.lose()
    server.away = false
    await server.pass(6000)
    expect(await one.check('k')).toMatchObject({ allowed: false, reason: 'limited', retryAfterMs: 4000 })
    await server.pass(4000)
    expect(await one.check('k')).toMatchObject({ allowed: true, source: 'server' })
  })

  it('another policy of the request charges nothing meanwhile', async () => {
    const store = guard(server.store(), readGuardOptions({}), server.clock)
    const policies = {
      tight: slidingWindowLog({ limit: 1, window: '10s' }),
      wide: fixedWindow({ limit: 9, window: '1m' }),
    }
    const limiter = createLimiter({ policies, store, logger: quiet })
    server.go()
    await limiter.check('k')
    server.lose()
    server.away = false
    await server.pass(1000)
    const { allowed, policy, verdicts } = await limiter.check('k')
    expect({ allowed, policy }).toEqual({ allowed: false, policy: 'tight' })
    expect(verdicts.wide).toMatchObject({ allowed: true, remaining: 9 })
  })
})

describe('processes that share the limit in an outage, when it is over', () => {
  // biome-ignore format: a table
  const policies: [string, Policy][] = [
    ['fixedWindow',          fixedWindow({ limit: 12, window: '1h' })],
    ['of a calendar',        fixedWindow({ limit: 12, every: 'month', timeZone: 'UTC' })],
    ['slidingWindowLog',     slidingWindowLog({ limit: 12, window: '1h' })],
    ['slidingWindowCounter', slidingWindowCounter({ limit: 12, window: '1h' })],
    ['gcra',                 gcra({ count: 12, period: '1h' })],
    ['tokenBucket',          tokenBucket({ capacity: 12, count: 12, period: '1h' })],
  ]

  function oneOfFour() {
    const store = guard(server.store(), readGuardOptions({ processes: 4 }), server.clock)
    return createLimiter({ policy: gcra({ count: 12, period: '1h' }), store, logger: quiet })
  }

  async function admittedTo(key: string, one: Pick<One, 'check'>, times: number): Promise<number> {
    let count = 0
    for (let i = 0; i < times; i++) if ((await one.check(key)).allowed) count++
    return count
  }

  /** One of four, with a key that it has admitted eight of, and what it admits of two others while the server is away. */
  async function afterOutage(policy: Policy, isLost: boolean): Promise<One> {
    const [one] = server.processes(1, policy, 4) as readonly [One]
    expect(await admittedTo('before', one, 8)).toBe(8)
    expect(await admittedTo('both', one, 1)).toBe(1)
    server.go()
    expect(await admittedTo('both', one, 9)).toBe(2)
    expect(await admittedTo('meanwhile', one, 9)).toBe(3)
    if (isLost) server.lose()
    server.away = false
    await server.pass(1000)
    expect(one.health().status).toBe('ok')
    return one
  }

  it.each(policies)(
    'have the whole limit at once of keys that were not asked for meanwhile: %s',
    async (_name, policy) => {
      const one = await afterOutage(policy, false)
      expect(await admittedTo('new', one, 14)).toBe(12)
      expect(await admittedTo('before', one, 14)).toBe(4)
    },
  )

  it.each(policies)(
    'have of all others what they have not admitted themselves: %s',
    async (_name, policy) => {
      const one = await afterOutage(policy, false)
      expect(await admittedTo('both', one, 14)).toBe(9)
      expect(await admittedTo('meanwhile', one, 14)).toBe(9)
    },
  )

  it.each(policies)('admit the limit together with what was lost: %s', async (_name, policy) => {
    const one = await afterOutage(policy, true)
    expect(await admittedTo('new', one, 14)).toBe(12)
    expect(await admittedTo('before', one, 14)).toBe(4)
    expect(await admittedTo('both', one, 14)).toBe(9)
  })

  it('are refused by no key’s count that was given back, set or reset meanwhile', async () => {
    const one = oneOfFour()
    await server.pass(1)
    server.go()
    for (let i = 0; i < 3; i++) await (await one.check('returned')).refund()
    expect(await admittedTo('set', one, 9)).toBe(3)
    await one.set('set', 11).catch(() => {})
    expect(await admittedTo('reset', one, 9)).toBe(3)
    await one.reset('reset').catch(() => {})
    server.away = false
    await server.pass(1000)
    expect(await admittedTo('returned', one, 14)).toBe(12)
    expect(await admittedTo('set', one, 14)).toBe(1)
    expect(await admittedTo('reset', one, 14)).toBe(12)
  })

  it('charge nothing to a key while it is blocked, as the server does not', async () => {
    const one = oneOfFour()
    await one.block('k', '1m')
    await one.penalize('k', 12)
    server.go()
    server.away = false
    await server.pass(1000)
    expect(await one.check('k')).toMatchObject({ allowed: false, reason: 'blocked' })
    await one.unblock('k')
    expect(await admittedTo('k', one, 14)).toBe(12)
  })

  it('count of a cost that is taken in part what was taken', async () => {
    const one = oneOfFour()
    server.go()
    expect(await one.check('k', { cost: 9, take: 'up-to' })).toMatchObject({ allowed: true, remaining: 0 })
    server.away = false
    await server.pass(1000)
    expect(await admittedTo('k', one, 14)).toBe(9)
  })

  it('take nothing of a check that another policy refuses', async () => {
    const store = guard(server.store(), readGuardOptions({ processes: 4 }), server.clock)
    const wide = gcra({ count: 12, period: '1h' })
    const both = createLimiter({
      policies: { wide, tight: uniform({ interval: '1h' }) },
      store,
      logger: quiet,
    })
    server.go()
    expect((await both.check({ wide: 'k', tight: 'k' })).allowed).toBe(true)
    expect((await both.check({ wide: 'k', tight: 'k' })).allowed).toBe(false)
    server.away = false
    await server.pass(1000)
    let count = 0
    for (let i = 0; i < 14; i++) if ((await both.check({ wide: 'k', tight: notApplicable })).allowed) count++
    expect(count).toBe(11)
  })

  it('let nobody pass before those who wait for their time by the share', async () => {
    const store = guard(server.store(), readGuardOptions({ processes: 4 }), server.clock)
    const policy = gcra({ count: 1, period: '1s', burst: 3 })
    const one = createLimiter({ policy, store, logger: quiet })
    server.go()
    const reserve = async () => (await one.reserve('k', { maxWait: '10s' })).waitMs
    expect([await reserve(), await reserve()]).toEqual([0, 4000])
    server.lose()
    server.away = false
    await server.pass(1000)
    expect(await one.check('k')).toMatchObject({ allowed: false, retryAfterMs: 4000, source: 'fallback' })
    expect((await one.check('other')).allowed).toBe(true)
    // The outage is over for all others.
    await server.pass(3500)
    expect(await one.check('k')).toMatchObject({ allowed: false, retryAfterMs: 500, source: 'fallback' })
    await server.pass(500)
    expect(await one.check('k')).toMatchObject({ allowed: true, source: 'server' })
  })
})

describe('over random outages, with and without loss of what the server had', () => {
  const step = fc.record({
    waitMs: fc.integer({ min: 0, max: 1500 }),
    process: fc.integer({ min: 0, max: 2 }),
    asks: fc.integer({ min: 1, max: 4 }),
    happens: fc.constantFrom('nothing', 'nothing', 'nothing', 'goes', 'comes', 'comes empty'),
  })

  it.each([undefined, 3])(
    'admits in no window more than processes times the limit: processes %s',
    async (shared) => {
      const limit = 4
      const windowMs = 5000
      const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
        server = new Server()
        const limiters = server.processes(3, slidingWindowLog({ limit, window: windowMs }), shared)
        const admittedMs: number[] = []
        let nowMs = 0
        for (const { waitMs, process, asks, happens } of steps) {
          await server.pass(waitMs)
          nowMs += waitMs
          if (happens === 'goes') server.go()
          if (happens === 'comes empty' && server.away) server.lose()
          if (happens !== 'nothing' && happens !== 'goes') server.away = false
          const count = await admitted(limiters[process] as One, asks)
          for (let i = 0; i < count; i++) admittedMs.push(nowMs)
        }
        for (const fromMs of admittedMs) {
          const inWindow = admittedMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + windowMs).length
          expect(inWindow).toBeLessThanOrEqual(3 * limit)
        }
        jest.clearAllTimers()
      })
      await fc.assert(property, { numRuns: 300 })
    },
  )
})

/** A process that hears each answer after its callers have been answered, and another one, which hears it at once. */
function processes(policy: Policy<'penalize'>) {
  const store = server.store()
  const answer = async (question: Question) => {
    const rows = await store.answer(question)
    await new Promise((resolve) => setTimeout(resolve, 150))
    return rows
  }
  const slow = createLimiter({
    policy,
    store: guard({ ...store, answer }, readGuardOptions({}), server.clock),
    logger: quiet,
  })
  return { slow, quick: createLimiter({ policy, store, logger: quiet }) }
}

// biome-ignore format: a table
it.each<[string, Policy<'penalize'>]>([
  ['fixedWindow',      fixedWindow({ limit: 3, window: '10s' })],
  ['slidingWindowLog', slidingWindowLog({ limit: 3, window: '10s' })],
  ['gcra',             gcra({ count: 3, period: '30s' })],
])('a refusal that comes late is kept for those who ask afterwards: %s', async (_strategy, policy) => {
  const { slow, quick } = processes(policy)
  await quick.penalize('k', 3)
  const decisions: string[] = []
  for (let i = 0; i < 2; i++) {
    const asked = slow.check('k')
    await server.pass(200)
    const { allowed, source } = await asked
    decisions.push(`${allowed} by ${source}`)
  }
  expect(decisions).toEqual(['true by fallback', 'false by fallback'])
})

it('an answer that comes late and allows keeps nothing', async () => {
  const { slow, quick } = processes(fixedWindow({ limit: 3, window: '10s' }))
  const asked = slow.check('k')
  await server.pass(200)
  expect(await asked).toMatchObject({ allowed: true, source: 'fallback', remaining: 2 })
  expect(await quick.peek('k')).toMatchObject({ remaining: 3 })
})
