import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { ticketStatus } from '../../src/index.ts'
import { never, Opened } from './opened.ts'

let opened: Opened
beforeEach(() => {
  opened = new Opened()
})
afterEach(() => opened.close())

const positions = (tickets: readonly string[]) =>
  Promise.all(
    tickets.map(async (ticket) => {
      const status = await opened.queue.status(ticket)
      return status?.state === 'waiting' ? status.position : status?.state
    }),
  )

describe('the status of a ticket', () => {
  it('counts the entries that are not done up to it, and falls by one with each finish', async () => {
    const tickets = await opened.fill(5)
    expect(await positions(tickets)).toEqual([1, 2, 3, 4, 5])
    const member = opened.join()
    const handed = await member.take(2, never)
    expect(await positions(tickets)).toEqual(['running', 'running', 3, 4, 5])
    for (const each of handed) await member.finish(each, { state: 'done', result: null, workMs: 1 })
    // What has ended is known by its result, which has a life: nothing else of it is kept, whether somebody asks or not.
    expect(await opened.client.hlen(opened.key('t'))).toBe(3)
    expect(await positions(tickets)).toEqual(['done', 'done', 1, 2, 3])
  })

  it('waits at the front for another attempt', async () => {
    const tickets = await opened.fill(3)
    const member = opened.join()
    const [first] = await member.take(1, never)
    if (first !== undefined) await member.finish(first, { state: 'again', error: 'no', workMs: 1 })
    expect(await positions(tickets)).toEqual([1, 2, 3])
  })

  // biome-ignore format: a table
  it.each<[result: unknown, status: object]>([
    // result            status
    [{ seats: [1, 2] },  { state: 'done', result: { seats: [1, 2] } }],
    [null,               { state: 'done', result: null }],
    [undefined,          { state: 'done' }],
    ['x'.repeat(200),    { state: 'failed', error: 'the result has more than 150 bytes of JSON' }],
    [1n,                 { state: 'failed', error: expect.stringContaining('the result cannot be written as JSON') }],
  ])('of work that answered %p is kept', async (result, status) => {
    const queue = opened.another({ maxJobBytes: 150 })
    const [ticket = ''] = await opened.fill(1)
    const member = queue.jobs.join({ idleClaimMs: 1000, maxAttempts: 3 })
    for (const each of await member.take(1, never)) {
      expect(await member.finish(each, { state: 'done', result, workMs: 1 })).toBe('ok')
    }
    expect(await queue.status(ticket)).toEqual(status)
  })

  it('is forgotten with its result', async () => {
    const queue = opened.another({ keepResults: '2s' })
    const [ticket = ''] = await opened.fill(1)
    const member = queue.jobs.join({ idleClaimMs: 1000, maxAttempts: 3 })
    const [handed] = await member.take(1, never)
    if (handed !== undefined) await member.finish(handed, { state: 'done', result: 1, workMs: 1 })
    const life = await opened.client.pttl(opened.key(`r:${ticket}`))
    expect(life).toBeGreaterThan(1000)
    expect(life).toBeLessThanOrEqual(2000)
    await opened.client.del(opened.key(`r:${ticket}`))
    expect(await queue.status(ticket)).toBeUndefined()
  })

  it.each(['', 'unknown', '9-1', '}:e', 'A'.repeat(22)])(
    'is undefined for one that never was: %p',
    async (ticket) => {
      await opened.fill(1)
      expect(await opened.queue.status(ticket)).toBeUndefined()
    },
  )

  it.each(['7', 'null', 'no JSON', '{"state":"odd"}', '{"state":"failed"}'])(
    'rejects with a StoreError where the result holds %s, which no queue has written',
    async (text) => {
      const ticket = 'A'.repeat(22)
      await opened.client.set(opened.key(`r:${ticket}`), text)
      const message = 'the result of a ticket was not written by a queue'
      await expect(opened.queue.status(ticket)).rejects.toMatchObject({ code: 'SLUICE_STORE', message })
      expect(await ticketStatus(opened.queue, ticket)).toMatchObject({
        status: 503,
        headers: expect.arrayContaining([['Retry-After', '1']]),
      })
    },
  )

  it('is undefined for what has not the shape of a ticket, before any command', async () => {
    const away = opened.another({ deadline: '20ms' })
    // Whatever is sent fails from here on.
    opened.client.disconnect()
    const shape = 'A'.repeat(22)
    await expect(away.status(shape)).rejects.toMatchObject({ code: 'SLUICE_STORE' })
    const others = ['', shape.slice(1), `${shape}A`, `}${shape.slice(1)}`, `${shape}\n`, 'x'.repeat(1e6)]
    for (const ticket of others) expect(await away.status(ticket)).toBeUndefined()
  })

  it('rejects with a StoreError where the server does not know what to say', async () => {
    await opened.client.set(opened.key('t'), 'nonsense')
    await expect(opened.queue.status('A'.repeat(22))).rejects.toMatchObject({ code: 'SLUICE_STORE' })
  })
})

describe('health', () => {
  it('counts what waits, runs and has ended, and says since when', async () => {
    const empty = { waiting: 0, running: 0, oldestMs: null, done: 0, dead: 0, warnings: [] }
    expect(await opened.queue.health()).toEqual(empty)
    await opened.fill(6)
    const member = opened.join()
    const [again, done, failed] = await member.take(4, never)
    if (again && done && failed) {
      await member.finish(again, { state: 'again', error: 'no', workMs: 1 })
      await member.finish(done, { state: 'done', result: null, workMs: 1 })
      await member.finish(failed, { state: 'failed', error: 'no', workMs: 1 })
    }
    const health = await opened.queue.health()
    expect(health).toEqual({
      ...empty,
      waiting: 3,
      running: 1,
      oldestMs: expect.any(Number),
      done: 1,
      dead: 1,
      warnings: ['SLUICE_QUEUE_JOB_FAILED'],
    })
    expect(health.oldestMs).toBeLessThan(60_000)
  })
})
