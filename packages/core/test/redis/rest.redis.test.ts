import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type FrontFault, RestFront } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { createLimiter, fixedWindow, gcra, redisStore } from '../../src/index.ts'
import type { Connection } from '../../src/redis/connection.ts'
import { scriptOf } from '../../src/redis/connection.ts'
import { fromRest } from '../../src/redis/connections.ts'
import { checkOf, question } from './real-store.ts'

const front = new RestFront(socket)
beforeAll(() => front.start())
afterAll(() => front.end())
beforeEach(() => {
  front.become({ fault: 'none' })
  front.calls.length = 0
})

function connect(token: () => string | undefined = () => front.token, longestMs = 20_000): Connection {
  return fromRest({ url: front.url, token, longestMs })
}

const answer = scriptOf("return { 7, 'seven', KEYS[1], ARGV[1] }")
const allBytes = scriptOf("return { '\\0\\128\\255', 'OK', 3 }", { bytes: true })

describe('a connection over REST', () => {
  it('runs a script that the server does not know', async () => {
    const connection = connect()
    await connection.send('SCRIPT', ['FLUSH'])
    expect(await connection.run(answer, ['k'], [1])).toEqual([7, 'seven', 'k', '1'])
    expect(await connection.run(answer, ['k'], ['é'])).toEqual([7, 'seven', 'k', 'é'])
    expect(front.calls.map(({ path, commands }) => `${path} ${commands}`)).toEqual([
      '/ SCRIPT',
      '/ EVAL',
      '/ EVALSHA',
    ])
  })

  it('keeps bytes that are no UTF-8', async () => {
    const [bytes, text, number] = (await connect().run(allBytes, [], [])) as [Uint8Array, unknown, unknown]
    expect([...bytes]).toEqual([0, 128, 255])
    expect([text, number]).toEqual(['OK', 3])
  })

  it('sends what is asked in one turn in one request, and each has its own reply', async () => {
    const connection = connect()
    await connection.send('SCRIPT', ['FLUSH'])
    const broken = scriptOf("return redis.error_reply('BROKEN as it must be')")
    const replies = await Promise.allSettled([
      connection.run(answer, ['k'], [1]),
      connection.send('PING', []),
      connection.run(broken, ['k'], []),
      connection.run(answer, ['l'], [2]),
    ])
    expect(replies).toMatchObject([
      { value: [7, 'seven', 'k', '1'] },
      { value: 'PONG' },
      { reason: { message: expect.stringMatching(/^BROKEN as it must be/) } },
      { value: [7, 'seven', 'l', '2'] },
    ])
    expect(front.calls.map(({ path, commands }) => `${path} ${commands}`)).toEqual([
      '/ SCRIPT',
      '/pipeline EVAL,PING,EVAL,EVALSHA',
    ])
  })

  it('asks for its token each time, and goes on with the last one', async () => {
    const tokens = ['wrong', front.token]
    const connection = connect(() => tokens.shift() ?? front.token)
    await expect(connection.send('PING', [])).rejects.toThrow('the REST API refuses the token (HTTP 401)')
    expect(await connection.send('PING', [])).toBe('PONG')
  })

  it('asks nothing without a token', async () => {
    await expect(connect(() => undefined).send('PING', [])).rejects.toThrow(
      'redis.token has returned no token',
    )
    expect(front.calls).toEqual([])
  })

  it('gives up what is under way when it is closed, and asks nothing more', async () => {
    front.become({ fault: 'silence' })
    const connection = connect()
    const asked = connection.send('PING', [])
    const failed = expect(asked).rejects.toThrow('the REST API cannot be reached')
    while (front.calls.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await connection.close()
    await failed
    await expect(connection.send('PING', [])).rejects.toThrow('the store was closed')
  })
})

const html = '<!doctype html><title>Sign in</title>'
const elsewhere = 'https://elsewhere.example/'

// biome-ignore format: a table
const faults: readonly (readonly [what: string, fault: FrontFault, message: string])[] = [
  ['refuses',               { fault: 'answer', status: 403 },                              'the REST API refuses the token (HTTP 403)'],
  ['wants a pause',         { fault: 'answer', status: 429 },                              'the REST API takes no more requests for now (HTTP 429)'],
  ['fails',                 { fault: 'answer', status: 500, body: html },                  'the REST API has failed (HTTP 500)'],
  ['has no server',         { fault: 'answer', status: 503 },                              'the REST API has failed (HTTP 503)'],
  ['redirects',             { fault: 'answer', status: 307, location: elsewhere },         'the REST API is elsewhere: redis.url must be where it leads to (HTTP 307)'],
  ['shows a page',          { fault: 'answer', status: 200, body: html },                  'what answers at redis.url is no REST API for Redis (HTTP 200)'],
  ['does not know the way', { fault: 'answer', status: 404, body: html },                  'what answers at redis.url is no REST API for Redis (HTTP 404)'],
  ['says nothing',          { fault: 'answer', status: 200 },                              'what answers at redis.url is no REST API for Redis (HTTP 200)'],
  ['answers something else', { fault: 'answer', status: 200, body: '{"ok":true}' },        'the store gave a malformed reply'],
  ['answers a list',        { fault: 'answer', status: 200, body: '[]' },                  'the store gave a malformed reply'],
  ['answers null',          { fault: 'answer', status: 200, body: 'null' },                'the store gave a malformed reply'],
  ['forgets Base64',        { fault: 'answer', status: 200, body: '{"result":["é"]}' },    'the store gave a malformed reply'],
  ['refuses the command',   { fault: 'answer', status: 400, body: '{"error":"ERR not here"}' }, 'ERR not here'],
  ['repeats the token',     { fault: 'answer', status: 400, body: '{"error":"ERR a-token-of-the-front is not here"}' }, 'ERR … is not here'],
  ['is cut off',            { fault: 'cut' },                                              'the REST API cannot be reached: '],
  ['never ends',            { fault: 'flood' },                                            'the REST API has answered more than 8388608 bytes'],
]

describe('a front that fails', () => {
  it.each(faults)(
    'is told clearly, alone and in a pipeline, and asked once: it %s',
    async (_what, fault, message) => {
      const connection = connect()
      front.become(fault)
      const alone = await Promise.allSettled([connection.run(answer, ['k'], [1])])
      const together = await Promise.allSettled([
        connection.run(answer, ['k'], [1]),
        connection.send('PING', []),
      ])
      for (const outcome of [...alone, ...together]) {
        expect(outcome).toMatchObject({
          status: 'rejected',
          reason: { message: expect.stringContaining(message) },
        })
        expect(inspect(outcome, { depth: 9, showHidden: true })).not.toContain(front.token)
      }
      expect(front.calls).toHaveLength(2)
    },
  )

  it('that never answers is given up', async () => {
    front.become({ fault: 'silence' })
    await expect(connect(undefined, 50).send('PING', [])).rejects.toThrow(
      'the REST API has not answered within 50 ms',
    )
  })

  it('that is not there cannot be reached', async () => {
    const gone = new RestFront(socket)
    await gone.start()
    const { url, token } = gone
    await gone.end()
    const connection = fromRest({ url, token: () => token, longestMs: 20_000 })
    await expect(connection.send('PING', [])).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringMatching(/^the REST API cannot be reached: fetch failed \(.*ECONNREFUSED/),
    })
  })

  it.each(faults)('makes a store go on without it: it %s', async (_what, fault) => {
    const failures: string[] = []
    const store = redisStore({ url: front.url, token: front.token }, { deadline: '10s' })
    const limiter = createLimiter({
      store,
      policy: fixedWindow({ limit: 5, window: '1h' }),
      observers: [{ storeFailed: ({ error }) => void failures.push(error?.message ?? '') }],
      logger: { warn() {}, error() {} },
    })
    front.become(fault)
    expect(await limiter.check('alice')).toMatchObject({ allowed: true, source: 'fallback' })
    expect(failures).toHaveLength(1)
    await limiter.close()
    await store.close()
  })
})

describe('a store over REST', () => {
  it('asks each question by itself, those of one turn in one request', async () => {
    const store = redisStore({ url: front.url, token: front.token }, { deadline: '10s' })
    const limiter = createLimiter({ name: 'rest', store, policy: gcra({ count: 5, period: '1h' }) })
    const { key } = checkOf(gcra({ count: 5, period: '1h' }))
    await limiter.check(key)
    front.calls.length = 0
    const decisions = await Promise.all(Array.from({ length: 6 }, () => limiter.check(key)))
    expect(decisions.map(({ allowed, source }) => `${allowed} ${source}`)).toEqual([
      ...Array.from({ length: 4 }, () => 'true redis'),
      'false redis',
      'false redis',
    ])
    expect(front.calls).toEqual([{ path: '/pipeline', commands: Array.from({ length: 6 }, () => 'EVALSHA') }])
    await store.close()
  })

  it('asks nothing and sets no timer before its first question', async () => {
    const set: unknown[] = []
    const { setTimeout, setInterval } = globalThis
    Object.assign(globalThis, {
      setTimeout: (...args: unknown[]) => set.push(args),
      setInterval: (...args: unknown[]) => set.push(args),
    })
    try {
      const store = redisStore({ url: front.url, token: front.token })
      createLimiter({ store, policy: gcra({ count: 5, period: '1h' }) })
      await Promise.resolve()
    } finally {
      Object.assign(globalThis, { setTimeout, setInterval })
    }
    expect([set, front.calls]).toEqual([[], []])
  })

  it('shows and changes a key', async () => {
    const store = redisStore({ url: front.url, token: front.token }, { deadline: '10s' })
    const check = checkOf(gcra({ count: 5, period: '1h' }), { note: 'première' })
    await store.answer(question(check))
    await store.adjust([{ check, receipt: null, byUnits: 1 }])
    expect(await store.manage({ op: 'inspect', check })).toMatchObject({ row: { remaining: 3 } })
    await store.manage({ op: 'reset', check })
    expect(await store.manage({ op: 'inspect', check })).toMatchObject({ row: { remaining: 5 } })
    await store.close()
  })
})
