import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import {
  createLimiter,
  fixedWindow,
  guardedStore,
  memoryStore,
  type Policy,
  type Question,
  type Store,
  type StoreEvent,
} from '../../src/index.ts'

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] })
})
afterEach(() => {
  jest.useRealTimers()
})

/** A store that fails or counts, and whose probes are answered by hand. */
function faulty() {
  const inner = memoryStore()
  const probes: { resolve(): void; reject(error: Error): void }[] = []
  const faults: { away: boolean; held?: Promise<void> } = { away: true }
  const store: Store = {
    name: 'mine',
    async answer(question: Question) {
      if (faults.away) throw new Error('away')
      await faults.held
      return inner.answer(question)
    },
    adjust: (changes) => inner.adjust(changes),
    manage: (command) => inner.manage(command),
    ready: () => new Promise((resolve, reject) => void probes.push({ resolve, reject })),
    close: async () => {},
  }
  return { store, faults, probes }
}

async function pass(ms: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(ms)
}

it('health shows the state of the breaker: closed, open, half-open while a probe is under way', async () => {
  const { store, faults, probes } = faulty()
  const guarded = guardedStore(store, { deadline: '1h' })
  const logger = { warn() {}, error() {} }
  const limiter = createLimiter({ policy: fixedWindow({ limit: 100, window: '1h' }), store: guarded, logger })
  const state = () => limiter.health().breaker
  expect(state()).toBe('closed')

  for (let round = 0; round < 3; round++) {
    await limiter.check('bob')
    await pass(60)
  }
  expect(state()).toBe('open')
  await pass(600)
  expect([probes.length, state()]).toEqual([1, 'half-open'])
  probes[0]?.reject(new Error('still away'))
  await pass(0)
  expect(state()).toBe('open')
  await pass(600)
  expect([probes.length, state()]).toEqual([2, 'half-open'])
  faults.away = false
  probes[1]?.resolve()
  await pass(0)
  expect(state()).toBe('closed')
  expect((await limiter.check('bob')).source).toBe('mine')
  await limiter.close()
  await guarded.close()
})

it('a check that the store forbids keeps it degraded for as long as it is asked, and five minutes', async () => {
  const inner = memoryStore()
  const store: Store = {
    name: 'mine',
    async answer(question) {
      if (question.checks.some(({ key }) => key.includes('eve'))) throw new Error('NOPERM: no right')
      return inner.answer(question)
    },
    adjust: (changes) => inner.adjust(changes),
    manage: (command) => inner.manage(command),
    close: async () => {},
  }
  const guarded = guardedStore(store)
  const about = {
    policy: fixedWindow({ limit: 9, window: '1h' }),
    store: guarded,
    logger: { warn() {}, error() {} },
  }
  const forbidden = createLimiter({ ...about, name: 'no' })
  const other = createLimiter({ ...about, name: 'b' })
  for (let minute = 0; minute < 10; minute += 4) {
    expect((await forbidden.check('eve')).source).toBe('fallback')
    await pass(240_000)
    expect((await other.check('bob')).source).toBe('mine')
    expect(guarded.health?.().status).toBe('degraded')
  }
  await forbidden.close()
  await pass(60_000)
  expect(guarded.health?.().status).toBe('ok')
  await other.close()
  await guarded.close()
})

it('a closed store is down, as it is asked no more, and requests are decided without it', async () => {
  const { store, faults, probes } = faulty()
  faults.away = false
  const guarded = guardedStore(store)
  const limiter = createLimiter({ policy: fixedWindow({ limit: 100, window: '1h' }), store: guarded })
  const first = limiter.check('bob')
  probes[0]?.resolve()
  expect([(await first).source, limiter.health().status]).toEqual(['mine', 'ok'])
  await guarded.close()
  expect([(await limiter.check('bob')).source, limiter.health().status]).toEqual(['fallback', 'down'])
  await limiter.close()
})

it('rounds of failures open the circuit, not single ones: many requests that meet one slow moment are one', async () => {
  const { store } = faulty()
  const failsLate = {
    ...store,
    answer: () => new Promise<never>((_, reject) => void setTimeout(() => reject(new Error('away')), 150)),
  }
  const guarded = guardedStore(failsLate, { deadline: '1h' })
  const logger = { warn() {}, error() {} }
  const limiter = createLimiter({ policy: fixedWindow({ limit: 100, window: '1h' }), store: guarded, logger })
  const breakers: unknown[] = []
  for (let round = 0; round < 3; round++) {
    const asked = Promise.all(Array.from({ length: 20 }, () => limiter.check('bob')))
    await pass(150)
    await asked
    breakers.push(limiter.health().breaker)
    await pass(1)
  }
  expect(breakers).toEqual(['closed', 'closed', 'open'])
  expect(limiter.health().failures).toBe(60)
  await limiter.close()
  await guarded.close()
})

it('failures of one instant are one round, however many questions were put in it', async () => {
  const { store } = faulty()
  const guarded = guardedStore(store, { deadline: '1h' })
  const logger = { warn() {}, error() {} }
  const limiter = createLimiter({ policy: fixedWindow({ limit: 100, window: '1h' }), store: guarded, logger })
  const breakers: unknown[] = []
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 20 }, () => limiter.check('bob')))
    breakers.push(limiter.health().breaker)
    await pass(100)
  }
  expect(breakers).toEqual(['closed', 'closed', 'open'])
  await limiter.close()
  await guarded.close()
})

/** With what happened to the store, as observers learn it, and a circuit that is open. */
async function opened() {
  const { store, faults, probes } = faulty()
  const guarded = guardedStore(store, { deadline: '1h' })
  const heard: StoreEvent['kind'][] = []
  const keep = ({ kind }: StoreEvent) => void (kind === 'failed' || heard.push(kind))
  const logger = { warn() {}, error() {} }
  const policy = fixedWindow({ limit: 100, window: '1h' })
  const observers = [{ storeFailed: keep, storeRecovered: keep }]
  const limiter = createLimiter({ policy, store: guarded, logger, observers })
  const fail = async () => {
    for (let round = 0; round < 3; round++) {
      await limiter.check('bob')
      await pass(60)
    }
  }
  /** The next probe is answered. */
  const answer = async () => {
    await pass(600)
    probes.at(-1)?.resolve()
    await pass(0)
  }
  const close = async () => {
    await limiter.close()
    await guarded.close()
  }
  await fail()
  return { limiter, faults, probes, heard, fail, answer, close }
}

describe('that a store answers again', () => {
  it('is said when it has answered a question after a probe', async () => {
    const { limiter, faults, heard, answer, close } = await opened()
    faults.away = false
    await answer()
    expect([heard, limiter.health().status]).toEqual([['opened', 'half-open'], 'degraded'])
    expect((await limiter.check('bob')).source).toBe('mine')
    expect([heard, limiter.health().status]).toEqual([['opened', 'half-open', 'recovered'], 'ok'])
    await close()
  })

  it('is not said where it answers probes and fails at questions, and neither is that it failed again', async () => {
    const { limiter, faults, heard, fail, answer, close } = await opened()
    for (let round = 0; round < 3; round++) {
      await answer()
      await fail()
    }
    expect(heard).toEqual(['opened', 'half-open', 'half-open', 'half-open'])
    expect(limiter.health().status).toBe('down')
    faults.away = false
    await answer()
    await limiter.check('bob')
    expect(heard.at(-1)).toBe('recovered')
    await close()
  })

  it('is not said where single questions fail between probes that are answered', async () => {
    const { limiter, heard, answer, close } = await opened()
    for (let round = 0; round < 3; round++) {
      await answer()
      await limiter.check('bob')
    }
    expect([heard, limiter.health().status]).toEqual([['opened', 'half-open'], 'degraded'])
    await close()
  })

  it('is not said while the circuit is open: where questions opened it again and one was answered during a probe', async () => {
    const { limiter, faults, probes, heard, fail, answer, close } = await opened()
    await answer()
    faults.away = false
    let release = () => {}
    faults.held = new Promise((resolve) => {
      release = resolve
    })
    const early = limiter.check('early')
    await pass(600)
    faults.away = true
    await fail()
    release()
    await early
    expect([probes.length, limiter.health().breaker]).toEqual([2, 'half-open'])
    probes[1]?.resolve()
    await pass(0)
    expect([heard, limiter.health().breaker]).toEqual([['opened', 'half-open'], 'closed'])
    await close()
  })

  it('is said after a second probe where nobody asks, and then it is probed no more', async () => {
    const { limiter, probes, heard, answer, close } = await opened()
    await answer()
    await answer()
    expect([heard, limiter.health().status]).toEqual([['opened', 'half-open', 'recovered'], 'ok'])
    await pass(10_000)
    expect(probes).toHaveLength(2)
    await close()
  })
})

it('a store that can be probed is, and is not asked whether it is ready', async () => {
  const { store, probes } = faulty()
  let asked = 0
  const probed = { ...store, probe: async () => void asked++ }
  const guarded = guardedStore(probed, { deadline: '1h' })
  const logger = { warn() {}, error() {} }
  const limiter = createLimiter({ policy: fixedWindow({ limit: 100, window: '1h' }), store: guarded, logger })
  await limiter.check('bob')
  await pass(600)
  expect([asked, probes.length]).toEqual([1, 0])
  await limiter.close()
  await guarded.close()
})

it('a store without a guard has no breaker', () => {
  expect(memoryStore().health?.()).not.toHaveProperty('breaker')
})

/** Refuses by its own count, and takes nothing: each check that it would admit fails, as on a server that cannot save. */
function withoutWrites(apart: boolean) {
  const inner = memoryStore()
  const state = { writes: true, closes: false }
  const store: Store = {
    name: 'mine',
    apart,
    async answer(question: Question) {
      const [row] = await inner.answer({ ...question, take: false })
      if (!state.writes && question.take && row?.allowed) {
        if (state.closes && question.checks[0]?.key.endsWith('behind it'))
          throw new Error('Connection is closed.')
        throw new Error('MISCONF it cannot save')
      }
      return inner.answer(question)
    },
    adjust: (changes) => inner.adjust(changes),
    manage: (command) => inner.manage(command),
    async ready() {
      if (!state.writes) throw new Error('MISCONF it cannot save')
    },
    close: async () => {},
  }
  return { store: guardedStore(store, { deadline: '1h' }), inner, state }
}

/** Keys that other processes have used up: this one knows nothing of them, and asks. */
async function usedUp(store: Store, policy: Policy): Promise<() => string> {
  const others = createLimiter({ policy, store })
  const keys = Array.from({ length: 10 }, (_, n) => `used up ${n}`)
  for (const key of keys) await others.check(key)
  await others.close()
  return () => keys.pop() ?? ''
}

it.each([false, true])(
  'what fails to write opens the circuit, whatever is refused between (apart: %s)',
  async (apart) => {
    const { store, inner, state } = withoutWrites(apart)
    const logger = { warn() {}, error() {} }
    const policy = fixedWindow({ limit: 1, window: '1h' })
    const next = await usedUp(inner, policy)
    const limiter = createLimiter({ policy, store, logger })
    const source = async (key: string) => (await limiter.check(key)).source
    state.writes = false
    const breakers: unknown[] = []
    for (let round = 0; round < 3; round++) {
      expect(await source(next())).toBe('mine')
      expect(await source(`new ${round}`)).toBe('fallback')
      await pass(60)
      breakers.push(limiter.health().breaker)
    }
    expect(breakers).toEqual(['closed', 'closed', 'open'])
    // Whoever looks first is refused, which says nothing: the next is not asked.
    await pass(600)
    if (apart) expect(await source(next())).toBe('mine')
    expect(await source('new')).toBe('fallback')
    expect(limiter.health()).toMatchObject({ breaker: apart ? 'half-open' : 'open', failures: 3 })
    state.writes = true
    await pass(600)
    expect([await source('newer'), limiter.health().status]).toEqual(['mine', 'ok'])
    await limiter.close()
    await store.close()
  },
)

it('so does it where the connection is closed for it, and others fail by that', async () => {
  const { store, inner, state } = withoutWrites(false)
  const policy = fixedWindow({ limit: 1, window: '1h' })
  const next = await usedUp(inner, policy)
  const limiter = createLimiter({ policy, store, logger: { warn() {}, error() {} } })
  const source = async (key: string) => (await limiter.check(key)).source
  Object.assign(state, { writes: false, closes: true })
  const breakers: unknown[] = []
  for (let round = 0; round < 3; round++) {
    expect(await source(next())).toBe('mine')
    const sources = Promise.all([source(`new ${round}`), source(`new ${round} behind it`)])
    expect(await sources).toEqual(['fallback', 'fallback'])
    await pass(60)
    breakers.push(limiter.health().breaker)
  }
  expect(breakers).toEqual(['closed', 'closed', 'open'])
  await limiter.close()
  await store.close()
})

it('after silence any answer is a success', async () => {
  const { store, faults } = faulty()
  const guarded = guardedStore(store, { deadline: '1h' })
  const logger = { warn() {}, error() {} }
  const policy = fixedWindow({ limit: 1, window: '1h' })
  faults.away = false
  const next = await usedUp(store, policy)
  const limiter = createLimiter({ policy, store: guarded, logger })
  for (let round = 0; round < 4; round++) {
    faults.away = true
    await limiter.check(`new ${round}`)
    faults.away = false
    expect((await limiter.check(next())).source).toBe('mine')
    await pass(60)
  }
  expect(limiter.health().breaker).toBe('closed')
  await limiter.close()
  await guarded.close()
})
