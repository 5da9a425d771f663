import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { createLimiter, fixedWindow, guardedStore, memoryStore, type Store } from '../../src/index.ts'
import type { Connection } from '../../src/redis/connection.ts'
import { RedisStore } from '../../src/redis/store.ts'

const timers: NodeJS.Timeout[] = []
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] })
  const set = setTimeout
  jest.spyOn(globalThis, 'setTimeout').mockImplementation((call, ms) => {
    const timer = set(call, ms)
    timers.push(timer)
    return timer
  })
})
afterEach(() => {
  jest.restoreAllMocks()
  jest.useRealTimers()
})

/** A store that shares nothing between questions, and answers as it is told. */
function apart() {
  const inner = memoryStore()
  const state: { says: 'answers' | 'fails' | 'hangs'; asked: number } = { says: 'answers', asked: 0 }
  const store: Store = {
    name: 'mine',
    apart: true,
    async answer(question) {
      state.asked++
      if (state.says === 'fails') throw new Error('away')
      if (state.says === 'hangs') return new Promise(() => {})
      return inner.answer(question)
    },
    adjust: (changes) => inner.adjust(changes),
    manage: (command) => inner.manage(command),
    ready: async () => {
      throw new Error('nobody looks by itself')
    },
    close: async () => {},
  }
  const guarded = guardedStore(store, { deadline: '100ms', connectDeadline: '1s' })
  const policy = fixedWindow({ limit: 100, window: '1h' })
  const limiter = createLimiter({ policy, store: guarded, logger: { warn() {}, error() {} } })
  const source = async () => (await limiter.check('bob')).source
  return { state, limiter, source }
}

/** What a worker does when a request has been answered: its timers are gone. */
function endRequest(): void {
  for (const timer of timers.splice(0)) clearTimeout(timer)
}

async function pass(ms: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(ms)
  // What expires waits for two turns of the event loop.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

async function fail(under: ReturnType<typeof apart>): Promise<void> {
  under.state.says = 'fails'
  for (let round = 0; round < 3; round++) {
    expect(await under.source()).toBe('fallback')
    await pass(60)
  }
}

describe('a process that stood still', () => {
  it('finds the reply of a store that shares nothing, which it could not read meanwhile', async () => {
    const inner = memoryStore()
    const store: Store = {
      name: 'mine',
      apart: true,
      async answer(question) {
        // A reply over HTTP takes some turns to be read.
        for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve))
        return inner.answer(question)
      },
      adjust: (changes) => inner.adjust(changes),
      manage: (command) => inner.manage(command),
      close: async () => {},
    }
    const guarded = guardedStore(store, { deadline: '50ms', connectDeadline: '50ms' })
    const limiter = createLimiter({ policy: fixedWindow({ limit: 9, window: '1h' }), store: guarded })
    const asked = limiter.check('bob')
    const now = performance.now()
    jest.spyOn(performance, 'now').mockReturnValue(now + 200)
    jest.advanceTimersByTime(50)
    expect((await asked).source).toBe('mine')
  })
})

describe('a store that shares nothing between questions', () => {
  it('needs no timer that another question has set', async () => {
    const { state, source } = apart()
    expect(await source()).toBe('mine')
    state.says = 'hangs'
    void source()
    endRequest()
    let second: unknown
    void source().then((found) => {
      second = found
    })
    await pass(99)
    expect(second).toBeUndefined()
    await pass(2)
    expect(second).toBe('fallback')
  })

  it('leaves no timer behind', async () => {
    const under = apart()
    expect(jest.getTimerCount()).toBe(0)
    await under.source()
    await fail(under)
    expect(jest.getTimerCount()).toBe(0)
  })

  it('may take longer for its first answer, and nobody waits for the first question', async () => {
    const { state, source } = apart()
    state.says = 'hangs'
    const found: unknown[] = []
    void source().then((each) => found.push(each))
    void source().then((each) => found.push(each))
    expect(state.asked).toBe(2)
    await pass(999)
    expect(found).toEqual([])
    await pass(2)
    expect(found).toEqual(['fallback', 'fallback'])
    void source().then((each) => found.push(each))
    await pass(101)
    expect(found).toHaveLength(3)
  })

  it('is spared while it fails, and one question after each pause looks whether it is back', async () => {
    const under = apart()
    const { state, limiter, source } = under
    await source()
    await fail(under)
    expect(limiter.health().breaker).toBe('open')
    state.asked = 0
    for (let i = 0; i < 5; i++) expect(await source()).toBe('fallback')
    expect(state.asked).toBe(0)
    await pass(600)
    for (let i = 0; i < 5; i++) expect(await source()).toBe('fallback')
    expect([state.asked, limiter.health().breaker]).toEqual([1, 'open'])
    state.says = 'answers'
    await pass(600)
    expect(await source()).toBe('mine')
    expect(limiter.health()).toMatchObject({ breaker: 'closed', status: 'ok' })
    expect(await source()).toBe('mine')
  })

  it('is looked for again where who looked was never answered', async () => {
    const under = apart()
    const { state, limiter, source } = under
    await source()
    await fail(under)
    await pass(600)
    state.says = 'hangs'
    void source()
    endRequest()
    expect(limiter.health().breaker).toBe('half-open')
    state.says = 'answers'
    expect(await source()).toBe('fallback')
    await pass(600)
    expect(await source()).toBe('mine')
  })
})

it('a connection that fails at once is answered for like one that fails later', async () => {
  const connection: Connection = {
    apart: true,
    run: () => {
      throw new Error('away')
    },
    send: async () => ['0', '0'],
    close: async () => {},
  }
  const inner = new RedisStore({ connection, prefix: '', deadlineUs: 0 })
  const store = guardedStore(inner, { deadline: '100ms', connectDeadline: '1s' })
  const policy = fixedWindow({ limit: 100, window: '1h' })
  const limiter = createLimiter({ name: 'at once', policy, store, logger: { warn() {}, error() {} } })
  const decisions = [limiter.check('bob'), limiter.check('bob')]
  await pass(0)
  expect(
    await Promise.race([Promise.all(decisions), pass(0).then(() => 'nobody was answered')]),
  ).toMatchObject([
    { source: 'fallback', remaining: 99 },
    { source: 'fallback', remaining: 98 },
  ])
  await limiter.close()
})
