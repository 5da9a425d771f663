import { afterEach, describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import {
  createLimiter,
  type Decision,
  gcra,
  isRefusedError,
  memoryStore,
  type Store,
  slidingWindowLog,
  uniform,
} from '../../src/index.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'

const oneASecond = gcra({ count: 1, period: '1s' })
const silent = { warn() {}, error() {} }

function moving() {
  const clock = manualClock()
  return { clock, store: memoryStore({ clock }) }
}

/** What has come of a promise so far. */
function watch<T>(promise: Promise<T>): { state: 'waiting' | 'resolved' | 'rejected'; value: unknown } {
  const watched: ReturnType<typeof watch> = { state: 'waiting', value: undefined }
  promise.then(
    (value) => Object.assign(watched, { state: 'resolved', value }),
    (value) => Object.assign(watched, { state: 'rejected', value }),
  )
  return watched
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

describe('wait', () => {
  it('resolves when it is time, and not a millisecond earlier', async () => {
    const { clock, store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    expect((await limiter.wait('bob')).waitMs).toBe(0)
    const second = watch(limiter.wait('bob'))
    const third = watch(limiter.wait('bob'))
    await clock.advance(999)
    await settle()
    expect([second.state, third.state]).toEqual(['waiting', 'waiting'])
    await clock.advance(1)
    await settle()
    expect([second.state, third.state]).toEqual(['resolved', 'waiting'])
    await clock.advance('1s')
    await settle()
    expect(third).toMatchObject({ state: 'resolved', value: { allowed: true, waitMs: 2000 } })
  })

  it('answers a refusal at once where the wait would be too long', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    await limiter.wait('bob')
    expect(await limiter.wait('bob', { maxWait: 999 })).toMatchObject({ allowed: false, retryAfterMs: 1 })
  })

  it('is never early on real timers', async () => {
    const limiter = createLimiter({ policy: gcra({ count: 1000, period: '1s', burst: 0 }) })
    const startedAt = performance.now()
    const waits = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const { waitMs } = await limiter.wait('bob')
        return { waitMs, tookMs: performance.now() - startedAt }
      }),
    )
    expect(waits.filter(({ waitMs, tookMs }) => tookMs < waitMs)).toEqual([])
    expect(Math.max(...waits.map(({ waitMs }) => waitMs))).toBeGreaterThan(0)
    await limiter.close()
  })

  it('ends with the signal, and gives the place to the next', async () => {
    const { clock, store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    await limiter.wait('bob')
    const controller = new AbortController()
    const second = watch(limiter.wait('bob', { signal: controller.signal }))
    await settle()
    controller.abort(new Error('gone'))
    await settle()
    expect(second).toMatchObject({ state: 'rejected', value: new Error('gone') })
    const third = watch(limiter.wait('bob'))
    await clock.advance('1s')
    await settle()
    expect(third.state).toBe('resolved')
  })

  it('takes nothing of callers that give up together, in whichever order', async () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const limiter = createLimiter({ store: moving().store, policy: oneASecond })
      await limiter.wait('bob')
      const callers = [new AbortController(), new AbortController(), new AbortController()]
      const waits = callers.map(({ signal }) => watch(limiter.wait('bob', { signal })))
      await settle()
      for (const caller of order) callers[caller]?.abort()
      await settle()
      expect(waits.map(({ state }) => state)).toEqual(Array(3).fill('rejected'))
      expect((await limiter.reserve('bob')).waitMs).toBe(1000)
      await limiter.close()
    }
  })

  it('takes nothing under a signal that is aborted already', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    const reason = new Error('gone')
    await expect(limiter.wait('bob', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect((await limiter.wait('bob')).waitMs).toBe(0)
  })

  it('hears one signal for however many wait', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    const controller = new AbortController()
    let listeners = 0
    const { addEventListener } = controller.signal
    controller.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++
      addEventListener.apply(controller.signal, args)
    }
    await limiter.wait('bob')
    const all = Array.from({ length: 20 }, () => watch(limiter.wait('bob', { signal: controller.signal })))
    await settle()
    controller.abort()
    await settle()
    expect(new Set(all.map(({ state }) => state))).toEqual(new Set(['rejected']))
    expect(listeners).toBe(1)
  })

  it('refuses only those who would have to wait when as many wait as may, with one warning', async () => {
    const { clock, store } = moving()
    const warned: string[] = []
    const limiter = createLimiter({
      store,
      policy: oneASecond,
      maxSleepers: 2,
      logger: silent,
      observers: [{ warned: ({ code }) => warned.push(code) }],
    })
    await limiter.wait('bob')
    const held = [watch(limiter.wait('bob')), watch(limiter.wait('bob'))]
    await settle()
    expect(await limiter.wait('alice')).toMatchObject({ allowed: true, waitMs: 0 })
    expect(warned).toEqual([])
    expect(await limiter.wait('alice')).toMatchObject({
      allowed: false,
      reason: 'limited',
      retryAfterMs: 1000,
    })
    expect(await limiter.wait('bob')).toMatchObject({ allowed: false, retryAfterMs: 3000, source: 'memory' })
    await expect(limiter.run('bob', () => 'work')).rejects.toMatchObject({ code: 'SLUICE_REFUSED' })
    expect(warned).toEqual(['SLUICE_MAX_SLEEPERS'])
    expect(limiter.health().sleepers).toBe(2)
    await clock.advance('2s')
    await settle()
    expect(held.map(({ state }) => state)).toEqual(['resolved', 'resolved'])
    expect((await limiter.wait('alice')).waitMs).toBe(0)
  })

  it('takes nothing of whom it refuses as no place is left, neither of one policy nor of several', async () => {
    const { clock, store } = moving()
    const wide = gcra({ count: 10, period: '1s' })
    const policies = { narrow: oneASecond, wide }
    const limiter = createLimiter({ store, policies, charge: 'every-level', maxSleepers: 1, logger: silent })
    const keys = { narrow: 'bob', wide: 'bob' }
    await limiter.wait(keys)
    const held = watch(limiter.wait(keys))
    await settle()
    for (let i = 0; i < 5; i++) expect((await limiter.wait(keys)).allowed).toBe(false)
    expect((await limiter.peek(keys)).verdicts.wide).toMatchObject({ remaining: 8 })
    await clock.advance('2s')
    await settle()
    expect(held.state).toBe('resolved')
    expect((await limiter.wait(keys)).waitMs).toBe(0)
    await limiter.close()
  })

  it('asks a store that answers later as well when no place is left, and gives back what nobody takes', async () => {
    const clock = manualClock()
    const memory = memoryStore({ clock })
    const asked: (() => void)[] = []
    const answer = () => {
      for (const each of asked.splice(0)) each()
    }
    const later: Store = {
      name: 'later',
      clock,
      answer: (question) =>
        new Promise((resolve) => {
          asked.push(() => resolve(memory.answer(question)))
        }),
      adjust: (changes) => memory.adjust(changes),
      manage: (command) => memory.manage(command),
      close: async () => {},
    }
    const limiter = createLimiter({ store: later, policy: oneASecond, maxSleepers: 1, logger: silent })
    const asking = watch(limiter.wait('bob'))
    const controller = new AbortController()
    const second = watch(limiter.wait('alice'))
    const third = watch(limiter.wait('carol', { signal: controller.signal }))
    controller.abort(new Error('gone'))
    answer()
    await settle()
    expect([asking.state, second.state]).toEqual(['resolved', 'resolved'])
    expect(second.value).toMatchObject({ allowed: true })
    expect(third).toMatchObject({ state: 'rejected', value: new Error('gone') })
    const carol = watch(limiter.peek('carol'))
    answer()
    await settle()
    expect(carol.value).toMatchObject({ remaining: 1 })
    expect(limiter.health().sleepers).toBe(0)
    await limiter.close()
  })

  it.each<[string, () => never | Promise<never>]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('keeps no place for who asks a store that %s', async (_how, fail) => {
    const { clock, store } = moving()
    let broken = true
    const mine: Store = {
      name: 'mine',
      clock,
      answer: (question) => (broken ? fail() : store.answer(question)),
      adjust: (changes) => store.adjust(changes),
      manage: (command) => store.manage(command),
      close: async () => {},
    }
    const limiter = createLimiter({ store: mine, policy: oneASecond, maxSleepers: 1, logger: silent })
    await expect(limiter.wait('bob')).rejects.toThrow('broken')
    broken = false
    await limiter.wait('bob')
    const second = watch(limiter.wait('bob'))
    await clock.advance('1s')
    await settle()
    expect(second).toMatchObject({ state: 'resolved', value: { allowed: true, waitMs: 1000 } })
    await limiter.close()
  })

  it('rejects sleepers, and whoever comes later, once the limiter is closed', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    const other = createLimiter({ store, policy: oneASecond })
    await limiter.wait('bob')
    const second = watch(limiter.wait('bob'))
    const third = watch(limiter.wait('bob'))
    await settle()
    await limiter.close()
    await settle()
    for (const caller of [second, third])
      expect(caller).toMatchObject({ state: 'rejected', value: { code: 'SLUICE_CLOSED' } })
    await expect(limiter.wait('bob')).rejects.toMatchObject({ code: 'SLUICE_CLOSED' })
    expect((await other.reserve('bob')).waitMs).toBe(1000)
  })

  it('sleeps longer with jitter, by at most one spacing', async () => {
    const { clock, store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    for (let i = 0; i < 10; i++) await limiter.reserve('bob')
    const held = watch(limiter.wait('bob', { jitter: [1.5, 1.5] }))
    await clock.advance(10_999)
    await settle()
    expect(held.state).toBe('waiting')
    await clock.advance(1)
    await settle()
    expect(held.state).toBe('resolved')
  })

  it.each<[string, object, RegExp]>([
    ['jitter at a gate', { jitter: true }, /^jitter: expected false, as uniform promises a gap/],
    ['a jitter that is none', { jitter: 1 }, /^jitter: expected true, false, or two factors/],
    ['a signal that is none', { signal: {} }, /^signal: expected an AbortSignal/],
    ['a wait that is none', { maxWait: Number.NaN }, /^maxWait: expected a positive duration/],
  ])('rejects %s, and takes nothing', async (_title, options, message) => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: uniform({ interval: '1s' }) })
    await expect(limiter.wait('bob', options)).rejects.toThrow(message)
    expect((await limiter.wait('bob')).waitMs).toBe(0)
  })
})

describe('wait while the store cannot answer', () => {
  function failing() {
    const { clock } = moving()
    const store = {
      name: 'away',
      clock,
      answer: () => {
        throw new Error('away')
      },
      adjust() {},
      manage: () => undefined,
      close: async () => {},
    }
    return { clock, store }
  }

  it.each<['local' | 'allow' | 'deny', readonly Partial<Decision>[]]>([
    [
      'local',
      [
        { allowed: true, waitMs: 0, source: 'fallback' },
        { allowed: true, waitMs: 1000, source: 'fallback' },
      ],
    ],
    [
      'allow',
      [
        { allowed: true, waitMs: 1000, source: 'none' },
        { allowed: true, waitMs: 1000, source: 'none' },
      ],
    ],
    ['deny', [{ allowed: false, reason: 'store-unavailable', waitMs: 0, source: 'none' }]],
  ])('%s', async (onStoreFailure, expected) => {
    const { store, clock } = failing()
    const guarded = guard(store, readGuardOptions({}), clock)
    const limiter = createLimiter({ store: guarded, policy: oneASecond, onStoreFailure, logger: silent })
    for (const facts of expected) expect(await limiter.reserve('bob')).toMatchObject(facts)
    await guarded.close()
  })
})

describe('run', () => {
  it('does the work when it is time, and answers what it answers', async () => {
    const { clock, store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    const done: number[] = []
    const work = () => done.push(clock.nowUs())
    const startUs = clock.nowUs()
    const all = Promise.all([1, 2, 3].map(() => limiter.run('bob', work)))
    await settle()
    await clock.advance('2s')
    expect(await all).toEqual([1, 2, 3])
    expect(done.map((us) => us - startUs)).toEqual([0, 1_000_000, 2_000_000])
  })

  it('throws a RefusedError past maxWait, and does no work', async () => {
    const { store } = moving()
    const limiter = createLimiter({ name: 'orders', store, policy: oneASecond })
    await limiter.run('bob', () => {})
    let worked = 0
    const error = await limiter.run('bob', () => worked++, { maxWait: 0 }).catch((thrown: unknown) => thrown)
    expect(isRefusedError(error)).toBe(true)
    expect(error).toMatchObject({
      status: 429,
      headers: { 'Retry-After': '1' },
      decision: { retryAfterMs: 1000 },
      message: 'refused by orders.default: limited, try again in 1000 ms',
    })
    expect(worked).toBe(0)
  })

  it('keeps what was used where the work throws', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: oneASecond })
    await expect(limiter.run('bob', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect((await limiter.peek('bob')).remaining).toBe(0)
  })

  it('rejects a work that is none', async () => {
    const limiter = createLimiter({ policy: oneASecond })
    await expect(limiter.run('bob', undefined as never)).rejects.toThrow(
      'work: expected a function: run(key, work), got undefined',
    )
  })

  it('is not for strategies that cannot reserve', async () => {
    const limiter = createLimiter({ policy: slidingWindowLog({ limit: 1, window: '1s' }) })
    const said = (verb: string, what: string) => ({
      code: 'SLUICE_UNSUPPORTED',
      message: `limiter.${verb}: the strategy of policy "default", slidingWindowLog, cannot ${what}: write reservable(slidingWindowLog({ … }))`,
    })
    // @ts-expect-error the type knows
    await expect(limiter.reserve('bob')).rejects.toMatchObject(said('reserve', 'reserve'))
    // @ts-expect-error the type knows
    await expect(limiter.wait('bob')).rejects.toMatchObject(said('wait', 'wait'))
    // @ts-expect-error the type knows
    await expect(limiter.run('bob', () => {})).rejects.toMatchObject(said('run', 'wait'))
  })
})

afterEach(async () => {
  await settle()
})
