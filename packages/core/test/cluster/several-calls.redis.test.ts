import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { addSlots, RedisProcess } from '@sluice/faults'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import {
  type Check,
  concurrency,
  createLimiter,
  fixedWindow,
  type Question,
  type RedisClient,
  redisStore,
  type Warning,
} from '../../src/index.ts'
import type { Connection } from '../../src/redis/connection.ts'
import { fromIoredis } from '../../src/redis/connections.ts'
import { slotOf } from '../../src/redis/slot.ts'
import { RedisStore } from '../../src/redis/store.ts'
import { patient } from './application.ts'

let server: RedisProcess
let client: Redis
beforeAll(async () => {
  server = await RedisProcess.prepareForCluster()
  await server.start()
  client = new Redis(server.url)
  await addSlots(client, 0, 16_383)
  while (!(await client.cluster('INFO')).includes('cluster_state:ok'));
})
afterAll(() => {
  client.disconnect()
  return server.end()
})

const five = fixedWindow({ limit: 5, window: '1h' })

function checkOf(key: string, more: Partial<Check> = {}): Check {
  const id = 'calls:policy:fw'
  return { id, policy: five, key, cost: 1, note: undefined, shadow: false, onStoreFailure: 'local', ...more }
}

function question(checks: readonly Check[], charge: Question['charge'] = 'all-or-nothing'): Question {
  return { checks, charge, maxWaitUs: 0, take: true }
}

/** Keys in the order in which they are asked. */
function keysInOrder(): readonly [string, string, string] {
  const keys = Array.from({ length: 3 }, () => randomBytes(6).toString('hex'))
  const [a = '', b = '', c = ''] = keys.sort((one, other) => slotOf(`{${one}}`) - slotOf(`{${other}}`))
  return [a, b, c]
}

async function left(store: RedisStore, keys: readonly string[]): Promise<number[]> {
  const rows = await Promise.all(
    keys.map((key) => store.answer({ ...question([checkOf(key)]), take: false })),
  )
  return rows.flatMap((answer) => answer.map(({ remaining }) => remaining))
}

/** A real connection on which some calls go wrong. */
class FaultyConnection implements Connection {
  readonly #real: Connection
  /** What becomes of a call: nothing, or what it answers. */
  become: (keys: readonly string[], text: string, answer: () => Promise<unknown>) => Promise<unknown>

  constructor(real: Connection) {
    this.#real = real
    this.become = (_keys, _text, answer) => answer()
  }

  run(...[script, keys, args]: Parameters<Connection['run']>): Promise<unknown> {
    return this.become(keys, script.text, () => this.#real.run(script, keys, args))
  }

  send(...args: Parameters<Connection['send']>): Promise<unknown> {
    return this.#real.send(...args)
  }

  nodeOf(): string {
    return 'the only one'
  }

  close(): Promise<void> {
    return this.#real.close()
  }
}

function broken(): Promise<never> {
  return Promise.reject(new Error('it is broken'))
}

function isAbout(keys: readonly string[], key: string): boolean {
  return keys.some((each) => each.includes(key))
}

describe('a question over several slots', () => {
  let connection: FaultyConnection
  let store: RedisStore
  let warnings: Warning[]
  beforeEach(() => {
    connection = new FaultyConnection(fromIoredis(client))
    // So long that a busy machine does not pass for a late answer.
    store = new RedisStore({ connection, prefix: '', deadlineUs: 10_000_000 })
    warnings = []
    store.watch({ event: () => {}, warned: (warning) => warnings.push(warning) })
  })
  afterEach(() => store.close())

  it('asks one slot after another, all within one call where they lie in one', async () => {
    const [first, second, third] = keysInOrder()
    const calls: string[] = []
    connection.become = (keys, _text, answer) => {
      calls.push(keys.map((key) => key.slice(0, key.indexOf('}') + 1)).join(' '))
      return answer()
    }
    await store.answer(
      question([third, first, second, first].map((key, i) => checkOf(key, { id: `calls:${i}:fw` }))),
    )
    expect(calls).toEqual([`sl3:{${first}} sl3:{${first}}`, `sl3:{${second}}`, `sl3:{${third}}`])
  })

  it('that one of them refuses takes nothing, and says how the others stand', async () => {
    const [first, second, third] = keysInOrder()
    const checks = [checkOf(first, { cost: 2 }), checkOf(second, { cost: 6 }), checkOf(third)]
    const rows = await store.answer(question(checks))
    expect(
      rows.map(({ allowed, reason, remaining, receipt }) => [allowed, reason, remaining, receipt]),
    ).toEqual([
      [true, null, 5, ''],
      [false, 'too-costly', 5, ''],
      [true, null, 5, ''],
    ])
    expect(rows.summary).toBeUndefined()
    expect(await left(store, [first, second, third])).toEqual([5, 5, 5])
  })

  it('that one of them refuses says how the others stand once all is given back, however long that takes', async () => {
    const [first, second] = keysInOrder()
    connection.become = async (_keys, text, answer) => {
      if (text.includes("'give'")) for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
      return answer()
    }
    const rows = await store.answer(question([checkOf(first, { cost: 2 }), checkOf(second, { cost: 6 })]))
    expect(rows.map(({ remaining }) => remaining)).toEqual([5, 5])
  })

  // biome-ignore format: a table
  it.each<[string, readonly number[], readonly boolean[]]>([
    // answered        costs    waits of the levels that allow
    ['allowed says none', [5, 1], [false, false]],
    ['refused says that of the levels that it was charged to', [5, 6], [true, true]],
  ])('that charges each level by itself and is %s', async (_what, costs, waits) => {
    const [first, second] = keysInOrder()
    const checks = [checkOf(first, { cost: costs[0] ?? 0 }), checkOf(second, { cost: costs[1] ?? 0 })]
    const rows = await store.answer(question(checks, 'every-level'))
    expect(rows.map(({ retryAfterUs }) => retryAfterUs !== 0)).toEqual(waits)
  })

  it('that only a shadow policy refuses is charged to the others', async () => {
    const [first, second] = keysInOrder()
    const rows = await store.answer(question([checkOf(first, { cost: 6, shadow: true }), checkOf(second)]))
    expect(rows.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [false, 5],
      [true, 4],
    ])
  })

  it.each(['all-or-nothing', 'every-level'] as const)(
    'that fails half-way fails, and what was taken is given back: %s',
    async (charge) => {
      const [first, second, third] = keysInOrder()
      connection.become = (keys, _text, answer) => (isAbout(keys, second) ? broken() : answer())
      const asked = store.answer(question([checkOf(first), checkOf(second), checkOf(third)], charge))
      await expect(asked).rejects.toThrow('it is broken')
      connection.become = (_keys, _text, answer) => answer()
      expect(await left(store, [first, second, third])).toEqual([5, 5, 5])
      expect(warnings).toEqual([])
    },
  )

  // biome-ignore format: a table
  it.each<[string, readonly number[], readonly number[]]>([
    // refused by                       costs: slots, rate, slots, each in a slot of its own   left of five afterwards
    ['the rate',                        [1, 6, 1],                                             [5, 5, 5]],
    ['the first of what is in flight',  [6, 1, 1],                                             [5, 4, 5]],
    ['the last of what is in flight',   [1, 1, 6],                                             [5, 4, 5]],
    ['nobody',                          [1, 1, 1],                                             [4, 4, 4]],
  ])('that charges each by itself takes what is in flight as a whole: refused by %s', async (_by, costs, expected) => {
    const keys = keysInOrder()
    const slots = concurrency({ limit: 5 })
    const checks = keys.map((key, i) => checkOf(key, { policy: i === 1 ? five : slots, id: `calls:${i}`, cost: costs[i] ?? 0 }))
    const rows = await store.answer(question(checks, 'every-level'))
    expect(rows.map(({ allowed }) => allowed)).toEqual(costs.map((cost) => cost <= 5))
    const looks = checks.map((check) => store.answer({ ...question([{ ...check, cost: 0 }]), take: false }))
    expect((await Promise.all(looks)).flatMap((answer) => answer.map(({ remaining }) => remaining))).toEqual(expected)
  })

  it('that fails while what is in flight is asked for gives all back', async () => {
    const [first, second] = keysInOrder()
    connection.become = (keys, _text, answer) => (isAbout(keys, first) ? broken() : answer())
    const slots = checkOf(first, { policy: concurrency({ limit: 5 }), id: 'calls:slots' })
    await expect(store.answer(question([slots, checkOf(second)], 'every-level'))).rejects.toThrow(
      'it is broken',
    )
    expect(await left(store, [second])).toEqual([5])
  })

  it('renews each slot by itself, and says what became of each in its place', async () => {
    const keys = keysInOrder()
    const policy = concurrency({ limit: 5 })
    const checks = keys.toReversed().map((key) => checkOf(key, { policy, id: 'calls:slots' }))
    const rows = await store.answer(question(checks))
    const held = checks.map((check, i) => ({ check, receipt: rows[i]?.receipt ?? '' }))
    const full = held.map(({ check, receipt }, i) => ({
      check: i === 1 ? { ...check, cost: 5 } : check,
      receipt: i === 0 ? receipt : 'gone',
    }))
    expect(await store.renew(full)).toEqual(['held', 'lost', 'regained'])
  })

  it('that cannot be given back is reported, and its rows say what stays taken', async () => {
    const [first, second] = keysInOrder()
    connection.become = (_keys, text, answer) => (text.includes("'give'") ? broken() : answer())
    const rows = await store.answer(question([checkOf(first, { cost: 2 }), checkOf(second, { cost: 6 })]))
    expect(rows.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 3],
      [false, 5],
    ])
    expect(warnings.map(({ code }) => code)).toEqual(['SLUICE_NOT_GIVEN_BACK'])
  })

  it('of which one answers too late fails at the deadline, and what that took is given back as well', async () => {
    const [first, second] = keysInOrder()
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let answered: Promise<unknown> = held
    connection.become = (keys, _text, answer) => {
      if (!isAbout(keys, second)) return answer()
      answered = answer()
      return held.then(() => answered)
    }
    const hurried = new RedisStore({ connection, prefix: '', deadlineUs: 300_000 })
    const asked = hurried.answer(question([checkOf(first), checkOf(second)]))
    await expect(asked).rejects.toMatchObject({ code: 'SLUICE_STORE' })
    await answered
    connection.become = (_keys, _text, answer) => answer()
    expect(await left(store, [first, second])).toEqual([5, 4])
    letGo()
    await new Promise(setImmediate)
    expect(await left(store, [first, second])).toEqual([5, 5])
  })

  it('corrects what was taken in each slot', async () => {
    const [first, second] = keysInOrder()
    const checks = [checkOf(first, { cost: 3 }), checkOf(second, { cost: 3 })]
    const rows = await store.answer(question(checks))
    await store.adjust(checks.map((check, i) => ({ check, receipt: rows[i]?.receipt ?? null, byUnits: -2 })))
    expect(await left(store, [first, second])).toEqual([4, 4])
  })

  it('rewards and sets in each slot', async () => {
    const [first, second] = keysInOrder()
    const limiter = createLimiter({
      name: randomBytes(6).toString('hex'),
      store,
      policies: { user: five, resource: five },
    })
    const subject = { user: first, resource: second }
    const remaining = async () => {
      const { verdicts } = await limiter.peek(subject)
      return [verdicts.user?.remaining, verdicts.resource?.remaining]
    }
    await limiter.check(subject, { cost: 5 })
    await limiter.reward(subject, { user: 1, resource: 3 })
    expect(await remaining()).toEqual([1, 3])
    await limiter.set(subject, 1)
    expect(await remaining()).toEqual([4, 4])
    await limiter.set(subject, { resource: 5 })
    expect(await remaining()).toEqual([4, 0])
  })
})

// biome-ignore format: a table
const clients: readonly (readonly [string, () => Promise<{ client: RedisClient; end(): void }>])[] = [
  // package      a client for one server
  ['ioredis',     async () => { const made = new Redis(server.url); return { client: made, end: () => made.disconnect() } }],
  ['node-redis',  async () => { const made = createClient({ url: server.url }); await made.connect(); return { client: made, end: () => made.destroy() } }],
]

describe.each(clients)('a cluster behind a client for one server: %s', (_name, connect) => {
  const policies = { user: five, resource: five }
  let end = () => {}
  afterEach(() => end())

  it.each(['check', 'penalize', 'reward'] as const)(
    'is warned of once, and asked slot by slot from then on: %s',
    async (first) => {
      const connected = await connect()
      end = connected.end
      const store = redisStore(connected.client, { deadline: patient })
      const warned: string[] = []
      const logger = { warn: (text: string) => warned.push(text), error: () => {} }
      const limiter = createLimiter({ name: randomBytes(6).toString('hex'), store, policies, logger })
      const [user, resource] = keysInOrder()
      if (first === 'penalize') await limiter.penalize({ user, resource }, 1)
      else if (first === 'reward') {
        await limiter.reward({ user, resource }, 1)
        await limiter.penalize({ user, resource }, 1)
      } else await limiter.check({ user, resource })
      const before = await client.info('errorstats')
      const decisions = []
      for (let i = 0; i < 5; i++) decisions.push(await limiter.check({ user, resource }))
      expect(decisions.map(({ allowed, remaining, source }) => [allowed, remaining, source])).toEqual([
        [true, 3, 'redis'],
        [true, 2, 'redis'],
        [true, 1, 'redis'],
        [true, 0, 'redis'],
        [false, 0, 'redis'],
      ])
      expect(await client.info('errorstats')).toBe(before)
      expect(warned.filter((text) => text.includes('SLUICE_CROSSSLOT'))).toHaveLength(1)
      expect(store.health?.().warnings).toContain('SLUICE_CROSSSLOT')
      await store.close()
    },
  )
})
