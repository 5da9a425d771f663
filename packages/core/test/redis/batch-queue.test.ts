import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { defineStrategy, fixedWindow, type Policy, slidingWindowLog } from '../../src/index.ts'
import type { PendingQuestion } from '../../src/redis/batches.ts'
import { BatchQueue } from '../../src/redis/batches.ts'
import type { Script } from '../../src/redis/connection.ts'
import { LoadedConnection } from '../../src/redis/connection.ts'
import { RedisStore } from '../../src/redis/store.ts'
import type { Check } from '../../src/store.ts'
import { standing } from './standing.ts'

const policies = {
  window: fixedWindow({ limit: 5, window: '1m' }),
  log: slidingWindowLog({ limit: 500, window: '1m' }),
}

function asked(
  name: string,
  {
    cost = 1,
    policy = policies.window,
    askedUs = 0,
  }: { readonly cost?: number; readonly policy?: Policy; readonly askedUs?: number } = {},
): PendingQuestion & { readonly name: string } {
  const check = {
    id: 'a',
    policy,
    key: name,
    cost,
    note: undefined,
    shadow: false,
    onStoreFailure: 'local' as const,
  }
  const question = { checks: [check], charge: 'all-or-nothing' as const, maxWaitUs: 0, take: true }
  return { name, question, askedUs, waiting: { answered() {}, failed() {} } }
}

function onlyCheckOf(name: string): Check {
  const [check] = asked(name).question.checks
  if (check === undefined) throw new Error('A question has a check.')
  return check
}

interface Sent {
  readonly names: readonly string[]
  /** Ends the call; questions that are named are sent again. */
  end(...again: readonly string[]): Promise<void>
}

let mostWork: number
let nowUs: number
let sent: Sent[]
let queue: BatchQueue
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
  mostWork = 100
  nowUs = 0
  sent = []
  queue = new BatchQueue({
    get mostWork() {
      return mostWork
    },
    send(batch, over) {
      const names = batch.map(({ question }) => question.checks[0]?.key ?? '')
      const end = async (...again: readonly string[]) => {
        const late = batch.filter((_, i) => again.includes(names[i] ?? ''))
        over(late, nowUs)
        await setImmediate()
      }
      sent.push({ names, end })
    },
  })
})

afterEach(() => {
  jest.useRealTimers()
})

async function add(...names: readonly string[]): Promise<void> {
  for (const name of names) queue.add(asked(name, { askedUs: nowUs }))
  await setImmediate()
}

function named(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`)
}

describe('questions for one server', () => {
  it('that come alone are sent each at once, while no more than two calls are under way', async () => {
    await add('a')
    await add('b')
    await add('c')
    expect(sent.map(({ names }) => names)).toEqual([['a'], ['b']])
  })

  it('of one turn go together', async () => {
    await add('a', 'b', 'c')
    expect(sent.map(({ names }) => names)).toEqual([['a', 'b', 'c']])
  })

  it('that come while two calls are under way go when one is over, in their order', async () => {
    await add('a')
    await add('b')
    await add('c', 'd')
    await add('e')
    await sent[1]?.end()
    expect(sent.map(({ names }) => names)).toEqual([['a'], ['b'], ['c', 'd', 'e']])
  })

  it('share out two calls, so that the server works while replies are read', async () => {
    await add(...named('a', 64))
    expect(sent.map(({ names }) => names.length)).toEqual([32, 32])
    await sent[0]?.end()
    await add(...named('b', 40))
    expect(sent[2]?.names).toEqual(named('b', 36))
  })

  it('share out two calls where they are odd in number, and leave no third', async () => {
    await add(...named('a', 65))
    expect(sent.map(({ names }) => names.length)).toEqual([33, 32])
  })

  it('are no more in a call than its work may be, and at least one', async () => {
    mostWork = 10
    for (const name of named('a', 12)) queue.add(asked(name))
    queue.add(asked('large', { cost: 1000, policy: policies.log }))
    queue.add(asked('last'))
    await setImmediate()
    for (let i = 0; i < sent.length; i++) await sent[i]?.end()
    expect(sent.map(({ names }) => names)).toEqual([named('a', 10), ['a10', 'a11'], ['large'], ['last']])
  })

  it('that are to be sent again go before all others', async () => {
    await add('a')
    await add('b', 'c', 'd')
    await add('e')
    await sent[1]?.end('b', 'd')
    expect(sent[2]?.names).toEqual(['b', 'd', 'e'])
  })

  it('wait for others for two milliseconds at most, whether calls are over or not', async () => {
    await add('a')
    await add('b')
    await add('c')
    jest.advanceTimersByTime(1)
    await add('d')
    expect(sent).toHaveLength(2)
    jest.advanceTimersByTime(1)
    expect(sent[2]?.names).toEqual(['c', 'd'])
    await add('e')
    expect(sent).toHaveLength(3)
    jest.advanceTimersByTime(2)
    expect(sent[3]?.names).toEqual(['e'])
  })

  it('are all sent where that is asked for', async () => {
    await add('a')
    await add('b')
    await add('c')
    queue.sendAll()
    expect(sent[2]?.names).toEqual(['c'])
  })

  it('are all sent before a key that one of them asks for is changed, and wait on where another is', async () => {
    await add('a')
    await add('b')
    await add('c', 'd')
    queue.sendIfAsked({ ...onlyCheckOf('c'), key: 'e' })
    queue.sendIfAsked({ ...onlyCheckOf('c'), id: 'of another policy' })
    expect(sent).toHaveLength(2)
    queue.sendIfAsked(onlyCheckOf('d'))
    expect(sent[2]?.names).toEqual(['c', 'd'])
  })
})

describe('the first question after a rest', () => {
  const namesSent = () => sent.map(({ names }) => names)

  beforeEach(() => {
    nowUs = 1000
  })

  it('is sent before those of its turn, which go together and do not wait for its answer', async () => {
    queue.add(asked('a', { askedUs: nowUs }))
    expect(namesSent()).toEqual([['a']])
    await add('b', 'c')
    expect(namesSent()).toEqual([['a'], ['b', 'c']])
    await add('d')
    await add('e')
    expect(namesSent()).toEqual([['a'], ['b', 'c'], ['d']])
    await sent[0]?.end()
    expect(sent).toHaveLength(3)
    await sent[1]?.end()
    expect(namesSent()[3]).toEqual(['e'])
  })

  it('leaves two calls to those of its turn', async () => {
    await add(...named('a', 65))
    expect(namesSent().map(({ length }) => length)).toEqual([1, 33, 31])
  })

  it('comes a millisecond after the last answer: who asks again sooner is sent with others', async () => {
    await add('a')
    nowUs = 5000
    await sent[0]?.end()
    nowUs = 5999
    await add('b', 'c')
    expect(namesSent()).toEqual([['a'], ['b', 'c']])
    await sent[1]?.end()
    nowUs = 6999
    await add('d', 'e')
    expect(namesSent()).toEqual([['a'], ['b', 'c'], ['d'], ['e']])
  })
})

/** Calls to a server that has taken so long for each of their checks, which all fail. */
class MeasuredCalls {
  readonly sizes: number[] = []
  readonly #ends: ((checkUs: number) => void)[] = []

  readonly run = (_script: unknown, keys: readonly string[]): Promise<unknown> => {
    this.sizes.push(keys.length)
    const rows = Buffer.alloc(keys.length, 5)
    const errors = keys.map(() => Buffer.from('failed'))
    return new Promise((resolve) => {
      this.#ends.push((checkUs) => resolve([0, checkUs * keys.length, rows, ...errors]))
    })
  }

  async end(nth: number, checkUs: number): Promise<void> {
    this.#ends[nth]?.(checkUs)
    await setImmediate()
    await setImmediate()
  }
}

describe('a call', () => {
  // biome-ignore format: a table
  it.each([
    // µs a check, checks
    [5,            100],
    [1,            128], // no more, however fast
    [13,            83], // an eighth of what it took longer counts
    [45,            50],
    [100_000,        8], // no fewer, however slow
  ])('of checks that took %i µs each is followed by one of %i', async (checkUs, size) => {
    const calls = new MeasuredCalls()
    const connection = { run: calls.run, send: async () => [], close: async () => {} }
    const store = new RedisStore({ connection, prefix: '', deadlineUs: 0, clock: standing })
    const answers = named('a', 400).map((name) => Promise.resolve(store.answer(asked(name).question)))
    const over = Promise.allSettled(answers)
    await setImmediate()
    await calls.end(0, checkUs)
    expect(calls.sizes).toEqual([100, 100, size])
    for (let i = 1; i < calls.sizes.length; i++) await calls.end(i, 1)
    for (const answer of await over) expect(answer).toMatchObject({ reason: { message: 'failed' } })
  })

  it('falls back at once to what a check takes, after a server was busy', async () => {
    const calls = new MeasuredCalls()
    const connection = { run: calls.run, send: async () => [], close: async () => {} }
    const store = new RedisStore({ connection, prefix: '', deadlineUs: 0, clock: standing })
    const over = Promise.allSettled(named('a', 900).map((name) => store.answer(asked(name).question)))
    await setImmediate()
    await calls.end(0, 100_000)
    await calls.end(1, 4)
    expect(calls.sizes).toEqual([100, 100, 8, 125])
    for (let i = 2; i < calls.sizes.length; i++) await calls.end(i, 1)
    await over
  })
})

describe('calls that are over without an answer leave their room to others', () => {
  it.each([
    ['as they have failed', false, 3],
    ['as nobody waits for their questions any more', true, 1],
  ])('%s', async (_why, done, most) => {
    let calls = 0
    const run = async () => {
      calls++
      throw new Error('away')
    }
    const store = new RedisStore({
      connection: { run, send: async () => [], close: async () => {} },
      prefix: '',
      deadlineUs: 0,
      clock: standing,
    })
    for (const name of ['a', 'b']) {
      store.answerTo(asked(name).question, { done, answered() {}, failed() {} })
      await setImmediate()
      await setImmediate()
    }
    store.answerTo(asked('c').question, { done: false, answered() {}, failed() {} })
    await setImmediate()
    expect(calls).toBe(most)
  })
})

describe('a question whose script cannot be made', () => {
  const broken = defineStrategy({
    name: 'broken',
    can: [],
    options: { limit: { kind: 'count', about: 'Any.', example: 1 } },
    look: () => ({ allowed: true, limit: 1, remaining: 0, retryAfterUs: 0, resetAfterUs: 0 }),
    take: () => 0,
    idleUs: () => 0,
    redis: {
      encode: () => [],
      get lua(): string {
        throw new TypeError('no script')
      },
    },
  })

  it('fails, and leaves nobody waiting, before its connection is loaded and afterwards', async () => {
    const sends = { run: async ({ sha }: Script) => [sha], send: async () => [], close: async () => {} }
    const connection = new LoadedConnection(async () => sends)
    const store = new RedisStore({ connection, prefix: '', deadlineUs: 0 })
    const { question } = asked('a', { policy: broken({ limit: 1 }) })
    for (let i = 0; i < 2; i++)
      await expect(store.answer(question)).rejects.toMatchObject({
        code: 'SLUICE_STORE',
        message: 'no script',
      })
  })
})
