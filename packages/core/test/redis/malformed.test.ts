import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { AnsweringServer } from '@sluice/faults/outage'
import fc from 'fast-check'
import {
  createLimiter,
  fixedWindow,
  gcra,
  type Question,
  redisStore,
  type StoreRows,
} from '../../src/index.ts'
import { RedisStore } from '../../src/redis/store.ts'
import { type Asker, answering, askers, type Reply } from './answering.ts'
import { checkOf, question } from './real-store.ts'
import { standing } from './standing.ts'

const now = 1_700_000_000_000_000
const malformed = 'the store gave a malformed reply'
const policy = fixedWindow({ limit: 5, window: '1m' })

// biome-ignore format: a table
const rows: readonly (readonly [what: string, reply: Reply])[] = [
  ['what is no list',             'OK'],
  ['null',                        null],
  ['an empty list',               []],
  ['a list that is too short',    [1, 9]],
  ['a list that is too long',     [now, 0, 0, 4, 0, 60_000_000, 'r', 0]],
  ['an unknown status',           [now, 4, 0, 4, 0, 60_000_000, 'r']],
  ['a status below 0',            [now, -1, 0, 4, 0, 60_000_000, 'r']],
  ['a status of text',            [now, 'allowed', 0, 4, 0, 60_000_000, 'r']],
  ['an empty status',             [now, '', 0, 4, 0, 60_000_000, 'r']],
  ['a status of null',            [now, null, 0, 4, 0, 60_000_000, 'r']],
  ['a time of text',              ['now', 0, 0, 4, 0, 60_000_000, 'r']],
  ['a limit below 0',             [now, 0, -5, 4, 0, 60_000_000, 'r']],
  ['a remainder that is a list',  [now, 0, 0, [4], 0, 60_000_000, 'r']],
  ['a remainder below 0',         [now, 0, 0, -1, 0, 60_000_000, 'r']],
  ['a remainder with a fraction', [now, 0, 0, '4.5', 0, 60_000_000, 'r']],
  ['a wait that is below never',  [now, 1, 0, 0, -2, 60_000_000, 0]],
  ['a reset of null',             [now, 0, 0, 4, 0, null, 'r']],
  ['a receipt of null',           [now, 0, 0, 4, 0, 60_000_000, null]],
  ['a receipt that is a list',    [now, 0, 0, 4, 0, 60_000_000, ['r']]],
  ['an empty text',               ''],
  ['an instant alone',            '1700000000.5'],
  ['a state alone',               '1700000060000000001'],
  ['an instant of text',          'now.5 1700000060000000001'],
  ['an instant below 0',          '-1700000000.5 1700000060000000001'],
  ['an instant in exponents',     '17e8.5 1700000060000000001'],
  ['a window that is over',       '1700000000.5 1700000000000000001'],
  ['a count of text',             '1700000000.5 170000006000000000x'],
  ['a window without a count',    '1700000000.5 1700000060000000'],
]

let reply: Reply
let server: AnsweringServer
beforeAll(async () => {
  server = await answering(() => reply)
})
afterAll(() => server.end())

describe.each(Object.keys(askers))('a server that answers scripts at random, asked by %s', (name) => {
  let asker: Asker | undefined
  beforeAll(async () => {
    asker = await askers[name]?.(server.url)
  })
  afterAll(() => asker?.end())

  function open() {
    const failures: string[] = []
    const store = redisStore(asker?.redis ?? server.url, { deadline: '10s' })
    const observers = [
      { storeFailed: ({ error }: { error?: Error }) => void failures.push(error?.message ?? '') },
    ]
    const limiter = createLimiter({ store, policy, observers, logger: { warn() {}, error() {} } })
    const close = async () => {
      await limiter.close()
      await store.close()
    }
    return { store, limiter, failures, close }
  }

  it.each(rows)('has failed, and admits nobody: %s', async (_what, malformedReply) => {
    reply = malformedReply
    const { limiter, failures, close } = open()
    const decision = await limiter.check('alice')
    expect(decision).toMatchObject({ allowed: true, remaining: 4, source: 'fallback' })
    expect(failures).toEqual([malformed])
    await close()
  })

  it('is understood where it answers as the scripts do', async () => {
    reply = [now, 0, 0, 4, 0, 60_000_000, 'r']
    const { store, limiter, failures, close } = open()
    expect(await limiter.check('alice')).toMatchObject({ allowed: true, remaining: 4, source: 'redis' })
    reply = [now, 1, 7, 0, 3_000_000, 60_000_000, 0]
    const refused = await limiter.check('alice')
    expect(refused).toMatchObject({ allowed: false, limit: 7, retryAfterMs: 3000, source: 'redis' })
    const [row] = await store.answer(question(checkOf(policy)))
    expect(row?.receipt).toBe('')
    // A minute's window that has two units, half a second after it began.
    reply = '1700000000.500000 1700000059500000002'
    const admitted = await limiter.check('bob')
    expect(admitted).toMatchObject({ allowed: true, limit: 5, remaining: 3, resetAfterMs: 59_000 })
    expect(failures).toEqual([])
    await close()
  })

  // biome-ignore format: a table
  it.each<[what: string, reply: Reply]>([
    ['text',             'OK'],
    ['null',             null],
    ['less than nothing', -1],
    ['more than it was asked', 2],
  ])('has not corrected anything where it says so by %s', async (_what, wrongReply) => {
    const { store, close } = open()
    reply = wrongReply
    const change = { check: checkOf(policy), receipt: null, byUnits: 1 }
    await expect(store.adjust([change])).rejects.toMatchObject({ code: 'SLUICE_STORE', message: malformed })
    await close()
  })

  it.each<Reply>(['OK', [], [2, 2], [3], [-1], ['held'], [null]])(
    'has not renewed anything where it says so by %j',
    async (wrongReply) => {
      const { store, close } = open()
      reply = wrongReply
      const renewed = store.renew?.([{ check: checkOf(policy), receipt: 'r' }])
      await expect(renewed).rejects.toMatchObject({ code: 'SLUICE_STORE', message: malformed })
      await close()
    },
  )

  it.each(['block', 'unblock', 'reset'] as const)('has not done a %s where it says so by 0', async (op) => {
    const { store, close } = open()
    reply = 0
    const managed = store.manage({ op, check: checkOf(policy), us: 1000 })
    await expect(managed).rejects.toMatchObject({ cause: { code: 'SLUICE_STORE', message: malformed } })
    await close()
  })

  // biome-ignore format: a table
  it.each<Reply>([
    'OK',
    1,
    [now, 0, 4, 0, 0],
    [now, 0, 4, 0, 0, 0, 'note'],
    [now, 0, 4, 0, 0, 0, 'note', 'instant'],
    [now, 0, 4, 0, 0, 0, null, now],
    [now, 0, 'four', 0, 0, 0],
    [now, 0, 4, 0, 0, null],
  ])('shows nothing by %j', async (wrongReply) => {
    const { store, close } = open()
    reply = wrongReply
    const shown = store.manage({ op: 'inspect', check: checkOf(policy) })
    await expect(shown).rejects.toMatchObject({ cause: { code: 'SLUICE_STORE', message: malformed } })
    await close()
  })
})

describe('a reply in which anything may stand', () => {
  /** A store on a connection that answers this. */
  function storeOf(given: unknown): RedisStore {
    const connection = { run: async () => given, send: async () => given, close: async () => {} }
    return new RedisStore({ connection, prefix: '', deadlineUs: 0, clock: standing })
  }

  const questions: readonly Question[] = [
    {
      checks: [checkOf(policy), checkOf(gcra({ count: 5, period: '1m' }), { shadow: true })],
      charge: 'all-or-nothing',
      maxWaitUs: 0,
      take: true,
    },
    { checks: [checkOf(policy)], charge: 'every-level', maxWaitUs: 1_000_000, take: true },
  ]
  /** A byte and doubles, as the script packs them. */
  function packed(byte: number, ...doubles: readonly number[]): Buffer {
    const bytes = Buffer.alloc(1 + 8 * doubles.length)
    bytes.writeUInt8(byte)
    for (const [i, double] of doubles.entries()) bytes.writeDoubleLE(double, 1 + 8 * i)
    return bytes
  }
  const rows = Buffer.concat([
    packed(0, 4, 0, 9, -1),
    packed(1 + 8, 0, 7, 9, 0, 5),
    packed(0, 4, -1, 1),
    packed(0, 4, 0, 9, 1),
  ])
  const sound: readonly unknown[] = [now, 0, rows, Buffer.from('r')]

  function askAll(store: RedisStore): Promise<readonly StoreRows[]> {
    return Promise.all(questions.map(async (question) => store.answer(question)))
  }

  function isSound(answers: readonly StoreRows[]): boolean {
    return answers.flat().every(({ allowed, reason, receipt, ...numbers }) => {
      const whole = Object.values(numbers).every((number) => Number.isInteger(number) && Number(number) >= -1)
      return (
        whole && allowed === (reason === null) && (typeof receipt === 'string' || Number.isInteger(receipt))
      )
    })
  }

  it('is read where all of it is as the script gives it', async () => {
    expect(isSound(await askAll(storeOf(sound)))).toBe(true)
  })

  // biome-ignore format: a table
  it.each<[string, unknown]>([
    ['a text behind the last receipt', [...sound, Buffer.from('more')]],
    ['a byte behind the last row', [now, 0, Buffer.concat([rows, packed(0)]), Buffer.from('r')]],
  ])('is a failure of the store where something is left: %s', async (_what, given) => {
    await expect(askAll(storeOf(given))).rejects.toMatchObject({ message: malformed })
  })

  it('is a failure of the store where a question with patience passes after less than no time', async () => {
    const patient = { ...question(checkOf(policy)), maxWaitUs: 1_000_000 }
    const answer = (waitUs: number) => storeOf([now, 0, 0, 4, waitUs, 60_000_000, 'r']).answer(patient)
    expect(await answer(7)).toMatchObject([{ allowed: true, waitUs: 7 }])
    await expect(answer(-1)).rejects.toMatchObject({ message: malformed })
  })

  it('gives sound rows or a failure of the store, never anything else', async () => {
    const value = fc.oneof(
      fc.integer(),
      fc.constantFrom<unknown>(
        null,
        undefined,
        '',
        '0',
        '-1',
        ' 7',
        '0x10',
        '1e3',
        Number.NaN,
        Infinity,
        0.5,
        7n,
        true,
        [],
        {},
      ),
      fc.anything(),
    )
    const places = fc.dictionary(fc.nat(sound.length).map(String), value, { minKeys: 1, maxKeys: 3 })
    const spoilt = fc.tuple(places, fc.nat(sound.length + 1)).map(([changes, length]) => {
      const changed = sound.map((each, i) => (String(i) in changes ? changes[i] : each))
      return length === 0 ? changed.slice(0, -1) : changed
    })
    const bytes = fc
      .record({ at: fc.nat(rows.length - 1), byte: fc.nat(255), length: fc.nat(2 * rows.length) })
      .map(({ at, byte, length }) => {
        const changed = Buffer.from(rows)
        changed[at] = byte
        return [now, 0, changed.subarray(0, length), Buffer.from('r')]
      })
    const replies = fc.oneof(spoilt, bytes, fc.anything(), fc.array(value))
    const property = fc.asyncProperty(replies, async (given) => {
      const outcome = await askAll(storeOf(given)).catch((error: unknown) => error)
      if (outcome instanceof Error) {
        expect(outcome).toMatchObject({ code: 'SLUICE_STORE' })
        // A script says of one question that it came too late, or why it failed.
        expect([malformed, 'the store answered too late', 'r']).toContain(outcome.message)
      } else expect(isSound(outcome as readonly StoreRows[])).toBe(true)
    })
    await fc.assert(property, { seed: 20_261_121, numRuns: 2000 })
  })
})
