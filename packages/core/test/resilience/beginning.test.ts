import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { createLimiter, fixedWindow, guardedStore, memoryStore, type Store } from '../../src/index.ts'

const silent = { warn() {}, error() {} }
const policy = fixedWindow({ limit: 3, window: '1h' })

/** A store whose first answer is given by hand. */
function beginner() {
  let answer = () => {}
  let refuse = (_error: Error) => {}
  const first = new Promise<void>((resolve, reject) => {
    answer = resolve
    refuse = reject
  })
  const inner = memoryStore()
  const store: Store = {
    name: 'beginner',
    answer: async (question) => inner.answer(question),
    adjust: async (changes) => inner.adjust(changes),
    manage: async (command) => inner.manage(command),
    ready: () => first,
    close: () => inner.close(),
  }
  return { store, answer, refuse }
}

function asked(store: Store, connectDeadline = '1s') {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] })
  const guarded = guardedStore(store, { deadline: '100ms', connectDeadline: connectDeadline as '1s' })
  const limiter = createLimiter({ policy, store: guarded, logger: silent })
  let source: string | undefined
  const check = limiter.check('bob').then((decision) => {
    source = decision.source
  })
  return { limiter, check, source: () => source, pass: (ms: number) => jest.advanceTimersByTimeAsync(ms) }
}

/** Time passes, and the event loop turns every ten milliseconds. */
async function running(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    await jest.advanceTimersByTimeAsync(10)
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

afterEach(() => {
  jest.useRealTimers()
})

describe('before the first answer of a store', () => {
  it('a request waits beyond its deadline, and is decided by the store', async () => {
    const { store, answer } = beginner()
    const { check, source, pass } = asked(store)
    await pass(800)
    expect(source()).toBeUndefined()
    answer()
    await check
    expect(source()).toBe('beginner')
  })

  it('it waits no longer than connectDeadline, and later ones only for what is left of it', async () => {
    const { store } = beginner()
    const { limiter, source, pass } = asked(store)
    await pass(850)
    expect(source()).toBeUndefined()
    const later = limiter.check('alice')
    await pass(100)
    expect(source()).toBe('fallback')
    expect((await later).source).toBe('fallback')
    expect(limiter.health()).toMatchObject({ failures: 1, fallbackDecisions: 2 })
  })

  it('a refusal ends the wait at once', async () => {
    const { store, refuse } = beginner()
    const { check, source } = asked(store)
    refuse(new Error('ECONNREFUSED'))
    await check
    expect(source()).toBe('fallback')
  })

  it('reset, block and inspect wait too', async () => {
    const { store, answer } = beginner()
    const { limiter, pass } = asked(store)
    const all = Promise.all([limiter.reset('bob'), limiter.block('eve', '1m'), limiter.inspect('bob')])
    await pass(500)
    answer()
    await expect(all).resolves.toHaveLength(3)
  })

  it('ready waits as long, and never rejects', async () => {
    const { store } = beginner()
    const { limiter, pass } = asked(store, '400ms')
    let isReady = false
    void limiter.ready().then(() => {
      isReady = true
    })
    await pass(200)
    expect(isReady).toBe(false)
    await pass(150)
    expect(isReady).toBe(true)
  })

  it('it has one deadline after the first answer, also where it waits for units that another takes ahead', async () => {
    const { store, answer } = beginner()
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] })
    const silentStore = { ...store, answer: () => new Promise<never>(() => {}) }
    const guarded = guardedStore(silentStore, { deadline: '100ms', connectDeadline: '1s' })
    const hourly = fixedWindow({ limit: 100, window: '1h' })
    const limiter = createLimiter({ policy: hourly, store: guarded, logger: silent, ahead: '20ms' })
    const sources: string[] = []
    for (const cost of [3, 1]) void limiter.check('bob', { cost }).then(({ source }) => sources.push(source))
    await running(500)
    answer()
    await running(90)
    expect(sources).toEqual([])
    // What is past its deadline is looked for in turns of the event loop, and 22 ms later once more.
    await running(60)
    expect(sources).toEqual(['fallback', 'fallback'])
  })

  it('closing lets go of who waits', async () => {
    const { store } = beginner()
    const guarded = guardedStore(store)
    const limiter = createLimiter({ policy, store: guarded, logger: silent })
    const check = limiter.check('bob')
    await guarded.close()
    expect((await check).source).toBe('fallback')
  })
})
