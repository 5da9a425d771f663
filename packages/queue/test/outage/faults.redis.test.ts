import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { StoreEvent } from '@sluice/core'
import { FaultyServer, RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { listQueue, type Processor, processor, type Queue, streamQueue } from '../../src/index.ts'
import { never, silent, until } from '../stream/opened.ts'

interface Job {
  readonly n: number
}

let server: RedisProcess
let client: Redis
let queue: Queue<Job, unknown>
let faulty: FaultyServer
let worker: Processor | undefined

const prefix = 'sl1:{queue:faults}:'
const open = (redis: string) =>
  streamQueue<Job, unknown>({ name: 'faults', redis, limit: 100, logger: silent })

async function start(...options: readonly string[]): Promise<void> {
  server = await RedisProcess.prepare(options)
  await server.start()
  faulty = new FaultyServer(server.port)
  await faulty.start()
  client = new Redis(server.url)
  client.on('error', () => {})
  queue = open(server.url)
  await queue.ready()
}

beforeEach(() => {
  worker = undefined
})
afterEach(async () => {
  await worker?.stop({ timeout: '1s' })
  await queue.close()
  client.disconnect()
  await faulty.end()
  await server.end()
})

async function offered(count: number): Promise<void> {
  for (let n = 1; n <= count; n++) await until(async () => (await queue.offer({ n })).allowed)
}

describe('while the server hangs', () => {
  it('offers are refused at their deadline, and take nothing when it goes on', async () => {
    await start()
    await offered(1)
    server.hang()
    const startedMs = performance.now()
    const offers = await Promise.all(Array.from({ length: 30 }, () => queue.offer({ n: 2 })))
    // The deadline, and what this process was late itself.
    expect(performance.now() - startedMs).toBeLessThan(500)
    expect(new Set(offers.map((offer) => (offer.allowed ? 'accepted' : offer.reason)))).toEqual(
      new Set(['store-unavailable']),
    )
    await new Promise((resolve) => setTimeout(resolve, 600))
    server.goOn()
    await until(() => client.ping().then(() => true))
    expect(await client.xlen(`${prefix}e`)).toBe(1)
    await until(async () => (await queue.offer({ n: 3 })).allowed)
  })

  it('a list takes nothing of refused offers when it goes on, either', async () => {
    await start()
    const list = listQueue<Job>({ name: 'faults', redis: server.url, limit: 100, logger: silent })
    await list.ready()
    server.hang()
    const offers = await Promise.all(Array.from({ length: 30 }, () => list.offer({ n: 1 })))
    server.goOn()
    expect(offers.filter(({ allowed }) => allowed)).toEqual([])
    await until(async () => (await list.offer({ n: 2 })).allowed)
    expect(await client.llen(`${prefix}l`)).toBe(1)
    await list.close()
  })
})

describe('a processor whose server is away', () => {
  it('lets what runs go on, keeps its results, comes back by itself, and says both', async () => {
    await start('--appendonly', 'yes', '--appendfsync', 'always')
    const events: StoreEvent['kind'][] = []
    const note = ({ kind }: StoreEvent) => void events.push(kind)
    let started = 0
    let pass = () => {}
    const gate = new Promise<void>((resolve) => {
      pass = resolve
    })
    await offered(4)
    worker = processor(
      queue,
      async () => {
        started++
        await gate
      },
      { concurrency: 2, logger: silent, observers: [{ storeFailed: note, storeRecovered: note }] },
    )
    await until(() => started === 2)
    await server.kill()
    pass()
    await until(() => events.length >= 3)
    expect(new Set(events)).toEqual(new Set(['failed']))
    await server.start()
    await until(async () => (await client.hget(`${prefix}m`, 'done').catch(() => null)) === '4', 20_000)
    expect(events).toContain('recovered')
    expect(started).toBe(4)
  })

  it('ends when asked to', async () => {
    await start()
    worker = processor(queue, async () => {}, { logger: silent })
    await server.kill()
    const startedMs = performance.now()
    await worker.stop()
    expect(performance.now() - startedMs).toBeLessThan(5000)
  })
})

describe('a reply that is lost', () => {
  it('of a finish: it is sent again, and takes effect once', async () => {
    await start()
    await offered(2)
    const behind = open(faulty.url)
    await behind.ready()
    const member = behind.jobs.join({ idleClaimMs: 30_000, maxAttempts: 3 })
    const [first, handed] = await member.take(2, never)
    if (first === undefined || handed === undefined) throw new Error('too few were taken')
    // Now the server knows the script, so that what is cut is the reply of the finish itself.
    await member.finish(first, { state: 'done', result: 1, workMs: 1 })
    faulty.become({ fault: 'hang up' })
    await expect(member.finish(handed, { state: 'done', result: 1, workMs: 1 })).rejects.toMatchObject({
      code: 'SLUICE_STORE',
    })
    faulty.become({ fault: 'none' })
    let answer: unknown
    await until(async () => {
      answer = await member.finish(handed, { state: 'done', result: 2, workMs: 1 }).catch(() => undefined)
      return answer !== undefined
    })
    expect(answer).toBe('gone')
    expect(await queue.health()).toMatchObject({ done: 2 })
    expect(await queue.status(handed.ticket)).toEqual({ state: 'done', result: 1 })
    await behind.close()
  })

  it('of an offer: it is refused as unavailable, counts, and runs all the same', async () => {
    await start()
    const behind = open(faulty.url)
    await behind.ready()
    await until(async () => (await behind.offer({ n: 1 })).allowed)
    faulty.become({ fault: 'hang up' })
    expect(await behind.offer({ n: 2 })).toMatchObject({ allowed: false, reason: 'store-unavailable' })
    const jobs: number[] = []
    worker = processor(queue, async ({ n }) => jobs.push(n), { logger: silent })
    await until(() => jobs.length === 2)
    expect(jobs).toEqual([1, 2])
    await behind.close()
  })
})

describe('a server without memory', () => {
  it('refuses offers, and lets work be finished', async () => {
    await start()
    await offered(3)
    const member = queue.jobs.join({ idleClaimMs: 30_000, maxAttempts: 3 })
    const [done, failed] = await member.take(2, never)
    if (done === undefined || failed === undefined) throw new Error('too few were taken')
    await client.config('SET', 'maxmemory', '1')
    expect(await queue.offer({ n: 4 })).toMatchObject({ allowed: false, reason: 'store-unavailable' })
    expect(await member.finish(done, { state: 'done', result: 1, workMs: 1 })).toBe('ok')
    expect(await member.finish(failed, { state: 'failed', error: 'no', workMs: 1 })).toBe('ok')
    expect(await queue.status(done.ticket)).toEqual({ state: 'done', result: 1 })
    await client.config('SET', 'maxmemory', '0')
    expect(await queue.health()).toMatchObject({ waiting: 1, done: 1, dead: 1 })
    await until(async () => (await queue.offer({ n: 5 })).allowed)
    expect(await client.get(`${prefix}n`)).toBe('4')
  })

  it('hands out what waits in a list, and takes it back', async () => {
    await start()
    const list = listQueue<Job>({ name: 'faults', redis: server.url, limit: 100, logger: silent })
    for (let n = 1; n <= 3; n++) await until(async () => (await list.offer({ n })).allowed)
    const member = list.jobs.join({ idleClaimMs: 30_000, maxAttempts: 3 })
    await client.config('SET', 'maxmemory', '1')
    expect(await member.take(1, never)).toMatchObject([{ job: { n: 1 } }])
    const unstarted = await member.take(5, never)
    expect(unstarted).toMatchObject([{ job: { n: 2 } }, { job: { n: 3 } }])
    await member.leave({ unstarted, running: [] })
    expect(await list.health()).toMatchObject({ waiting: 2 })
    await client.config('SET', 'maxmemory', '0')
    await list.close()
  })
})
