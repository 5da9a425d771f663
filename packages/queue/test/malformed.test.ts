import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import type { StoreEvent } from '@sluice/core'
import { AnsweringServer, type Reply } from '@sluice/faults/outage'
import {
  type Handed,
  listQueue,
  type Member,
  type Queue,
  type QueueOptions,
  streamQueue,
} from '../src/index.ts'
import { newTicket } from '../src/ticket.ts'

const now = 1_700_000_000_000_000
const nothing = [0, 0, 0, 0, 0, 0, 0, 0, 0]
const malformed = { code: 'SLUICE_STORE', message: 'the store gave a malformed reply' }
const job = { card: '4111 1111 1111 1111' }
const handed: Handed<typeof job> = { how: 'now', mark: '1-1', ticket: 't', job, attempt: 1 }

let answer: (words: readonly string[]) => Reply
const server = new AnsweringServer((words) => {
  return words[0]?.toUpperCase() === 'TIME' ? [String(Math.floor(Date.now() / 1000)), '0'] : answer(words)
})
beforeAll(() => server.start())
afterAll(() => server.end())

const seen: unknown[] = []
const see = (what: unknown) => void seen.push(what)
let queue: Queue<typeof job, unknown>
let member: Member<typeof job, unknown>

const kinds = {
  stream: (options: QueueOptions): Queue<typeof job, unknown> => streamQueue(options),
  // It has no results, and is asked alike.
  list: (options: QueueOptions) => listQueue(options) as unknown as Queue<typeof job, unknown>,
}

function open(kind: keyof typeof kinds): void {
  seen.length = 0
  const observers = [{ storeFailed: (event: StoreEvent) => see(event), warned: see }]
  const logger = { warn: see, error: see }
  queue = kinds[kind]({ name: 'orders', redis: server.url, limit: 9, deadline: '10s', observers, logger })
  member = queue.jobs.join({ idleClaimMs: 1000, maxAttempts: 3 })
}
afterEach(() => queue.close())

const signal = AbortSignal.abort()

describe('a stream whose server answers scripts at random', () => {
  it.each<Reply>(
    // biome-ignore format: a table
    [
      'OK', [], [now, 2, 1], [now, 'yes', 1], [now, 1, 0, ...nothing], [now, 1, null, ...nothing], [now, 0, -5],
      [now, 1, 1, 7], ['now', 1, 1, ...nothing], [now, 1, 1, 'x', ...nothing.slice(1)],
    ],
  )('admits nothing by %j', async (reply) => {
    open('stream')
    answer = () => reply
    expect(await queue.offer(job)).toMatchObject({ allowed: false, reason: 'store-unavailable' })
    expect(seen).toContainEqual(
      expect.objectContaining({ kind: 'failed', error: expect.objectContaining(malformed) }),
    )
  })

  it('admits by what the script answers', async () => {
    open('stream')
    answer = () => [now, 1, 3, ...nothing]
    expect(await queue.offer(job)).toMatchObject({ allowed: true, position: 3 })
    answer = () => [now, 1, 4]
    expect(await queue.offer(job)).toMatchObject({ allowed: true, position: 4 })
    answer = () => [now, 0, 2_000_000]
    expect(await queue.offer(job)).toEqual({ allowed: false, reason: 'full', retryAfterMs: 2000 })
  })

  it.each<Reply>([
    'OK',
    [],
    [now, 'asleep'],
    [now, 'waiting', 'x', ...nothing],
    [now, 'waiting', 1, 0],
    [now, 'running', null],
  ])('gives no status by %j', async (reply) => {
    open('stream')
    answer = () => reply
    await expect(queue.status(newTicket())).rejects.toMatchObject(malformed)
  })

  it.each<Reply>(['OK', [], [now, 1, 2], [now, 'x', 0, 0, 0, 0, 0], [now, 0, 0, 0, null, 0, 0]])(
    'gives no health by %j',
    async (reply) => {
      open('stream')
      answer = () => reply
      await expect(queue.health()).rejects.toMatchObject(malformed)
    },
  )

  it.each<Reply>([
    'OK',
    ['x', []],
    [now, [['1-1', 't', '{}', 1]]],
    [now, [['1-1', 't', '{}', 'x', 'now']]],
    [now, [['1-1', null, '{}', 1, 'now']]],
    [now, [[]]],
  ])('hands nothing out by %j', async (reply) => {
    open('stream')
    answer = () => 0
    await member.take(1, signal).catch(() => {})
    answer = () => reply
    await expect(member.take(1, signal)).rejects.toMatchObject(malformed)
  })

  it.each<Reply>(['yes', null, ['ok'], 1])('has ended nothing by %j', async (reply) => {
    open('stream')
    answer = () => reply
    await expect(member.finish(handed, { state: 'done', result: 1, workMs: 1 })).rejects.toMatchObject(
      malformed,
    )
  })

  it.each<Reply>(['yes', null, ['ok'], [null]])(
    'has begun, renewed and left nothing by %j',
    async (reply) => {
      open('stream')
      answer = () => reply
      await expect(member.start(handed)).rejects.toMatchObject(malformed)
      await expect(member.leave({ unstarted: [handed], running: [] })).rejects.toMatchObject(malformed)
      if (!Array.isArray(reply) || reply[0] === null) {
        await expect(member.renew([handed])).rejects.toMatchObject(malformed)
      }
    },
  )
})

describe('a list whose server answers scripts at random', () => {
  it.each<Reply>(
    // biome-ignore format: a table
    [
      'OK', [], [now, 2, 1], [now, 1, 0, ...nothing, '1'], [now, 1, 1], [now, 1, 1, ...nothing], [now, 1, 1, ...nothing, 'x'],
    ],
  )('admits nothing by %j', async (reply) => {
    open('list')
    answer = () => reply
    expect(await queue.offer(job)).toMatchObject({ allowed: false, reason: 'store-unavailable' })
    expect(seen).toContainEqual(
      expect.objectContaining({ kind: 'failed', error: expect.objectContaining(malformed) }),
    )
  })

  it('admits by what the script answers', async () => {
    open('list')
    answer = () => [now, 1, 3, ...nothing, '17']
    expect(await queue.offer(job)).toMatchObject({
      allowed: true,
      position: 3,
      ticket: expect.stringMatching(/-17$/),
    })
  })

  it.each<Reply>(['OK', [], [now, 'x', 1, ...nothing], [now, 1, 2, 3], [now, 1, null, ...nothing]])(
    'gives no status by %j',
    async (reply) => {
      open('list')
      answer = () => reply
      await expect(queue.status('abcdefgh-17')).rejects.toMatchObject(malformed)
    },
  )

  it.each<Reply>(['OK', [], [now, 1, 2], [now, 'x', 0, 0]])('gives no health by %j', async (reply) => {
    open('list')
    answer = () => reply
    await expect(queue.health()).rejects.toMatchObject(malformed)
  })

  it.each<Reply>(['OK', null, ['x'], [now, 'x'], [now, [['x']]]])(
    'hands nothing out by %j',
    async (reply) => {
      open('list')
      answer = () => reply
      await expect(member.take(1, signal)).rejects.toMatchObject(malformed)
    },
  )
})

it.each(['stream', 'list'] as const)('a job stands in no error, no event and no log: %s', async (kind) => {
  open(kind)
  answer = (words) => ({ error: `ERR no place for '${words[3]}', where '${words.join("' '")}' was to go` })
  await queue.offer(job)
  await member.finish(handed, { state: 'done', result: job, workMs: 1 }).catch(see)
  await member.leave({ unstarted: [handed], running: [] }).catch(see)
  const shown = inspect(seen, { depth: Number.POSITIVE_INFINITY, showHidden: true })
  expect(shown).toContain('failed: ERR no place for')
  expect(shown).not.toContain('4111')
})
