import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { listQueue, processor, type Queue, type QueueOptions, streamQueue } from '../src/index.ts'
import { deadline, newName, quiet } from './redis-queue.ts'

const never = new AbortController().signal
let server: RedisProcess
let client: Redis
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
  client = new Redis(server.url)
  await client.call('ACL', 'SETUSER', 'default', '-xadd', '-brpop')
})
afterAll(() => {
  client.disconnect()
  return server.end()
})

it('where offers need a command that the user may not run, one warning says so, and health() has its code', async () => {
  const lines: string[] = []
  const logger = { warn: (line: string) => lines.push(line), error: () => {} }
  const queue = streamQueue({ name: newName(), redis: client, limit: 10, deadline, logger })
  for (let i = 0; i < 2; i++) expect(await queue.offer(i)).toMatchObject({ reason: 'store-unavailable' })
  expect(lines.filter((line) => line.includes('SLUICE_FORBIDDEN'))).toHaveLength(1)
  expect((await queue.health()).warnings).toEqual(['SLUICE_FORBIDDEN'])
  await queue.close()
})

const streamOf = (options: QueueOptions): Queue<string, unknown> => streamQueue<string>(options)
const listOf = (options: QueueOptions): Queue<string, unknown> => listQueue<string>(options)

it.each([
  ['stream', streamOf, '-hset'],
  ['stream', streamOf, '-hmget'],
  ['stream', streamOf, '-hset -xdel'],
  ['list', listOf, '-hset'],
  ['list', listOf, '-hmget'],
  ['list', listOf, '-lpush'],
] as const)(
  'an offer to a %s that is refused as the user lacks a right leaves no job behind: %#',
  async (_form, queueOf, right) => {
    const queue = queueOf({ name: newName(), redis: client, limit: 10, deadline, logger: quiet })
    await client.call('ACL', 'SETUSER', 'default', '+xadd')
    const rights = right.split(' ')
    // In an empty queue, and behind an entry.
    for (let entries = 0; entries < 2; entries++) {
      await client.call('ACL', 'SETUSER', 'default', ...rights)
      // Once a second an offer reads the measurements as well.
      const offers = [await queue.offer('a'), await queue.offer('b')]
      await client.call('ACL', 'SETUSER', 'default', ...rights.map((one) => one.replace('-', '+')))
      const taken = offers.filter(({ allowed }) => allowed).length
      expect(await queue.health()).toMatchObject({ waiting: entries + taken, done: 0 })
      if (entries === 0 && taken === 0)
        expect(await queue.offer('c')).toMatchObject({ allowed: true, position: 1 })
      else break
    }
    await client.call('ACL', 'SETUSER', 'default', '-xadd')
    await queue.close()
  },
)

it.each(['-hmget', '-hset', '-llen', '-rpop', '-rpush'])(
  'a list whose user lacks a right of taking hands nothing out and keeps what waits: %s',
  async (right) => {
    const queue = listQueue<string>({ name: newName(), redis: client, limit: 10, deadline, logger: quiet })
    for (const job of ['a', 'b']) await queue.offer(job)
    const member = queue.jobs.join({ idleClaimMs: 30_000, maxAttempts: 3 })
    await client.call('ACL', 'SETUSER', 'default', right)
    await expect(member.take(1, never)).rejects.toMatchObject({ code: 'SLUICE_STORE' })
    await client.call('ACL', 'SETUSER', 'default', right.replace('-', '+'))
    expect(await queue.health()).toMatchObject({ waiting: 2, done: 0 })
    expect(await member.take(2, never)).toMatchObject([{ job: 'a' }, { job: 'b' }])
    await queue.close()
  },
)

it('a stream whose user may not give back hands nothing out, as a stop would use up the attempt', async () => {
  await client.call('ACL', 'SETUSER', 'default', '+xadd', '-xclaim')
  const queue = streamQueue<string>({ name: newName(), redis: client, limit: 10, deadline, logger: quiet })
  await queue.offer('a')
  const member = queue.jobs.join({ idleClaimMs: 30_000, maxAttempts: 1 })
  await expect(member.take(1, never)).rejects.toMatchObject({ code: 'SLUICE_STORE' })
  expect(await queue.health()).toMatchObject({ waiting: 1, running: 0 })
  await client.call('ACL', 'SETUSER', 'default', '+xclaim')
  expect(await member.take(1, never)).toMatchObject([{ job: 'a', attempt: 1 }])
  await client.call('ACL', 'SETUSER', 'default', '-xadd')
  await queue.close()
})

it.each(['-xadd', '-set', '-xack', '-xdel', '-hdel', '-hset', '-hmget', '-xlen', '-xinfo'])(
  'an end that is refused as the user lacks a right takes effect once he has it: %s',
  async (right) => {
    await client.call('ACL', 'SETUSER', 'default', '+xadd')
    const queue = streamQueue<string>({ name: newName(), redis: client, limit: 10, deadline, logger: quiet })
    await queue.offer('a')
    const member = queue.jobs.join({ idleClaimMs: 30_000, maxAttempts: 1 })
    const [handed] = await member.take(1, never)
    if (handed === undefined) throw new Error('nothing was taken')
    const end = () => member.finish(handed, { state: 'failed', error: 'no', workMs: 1 })
    await client.call('ACL', 'SETUSER', 'default', right)
    for (let i = 0; i < 2; i++) await expect(end()).rejects.toMatchObject({ code: 'SLUICE_STORE' })
    await client.call('ACL', 'SETUSER', 'default', right.replace('-', '+'))
    expect(await end()).toBe('ok')
    expect(await queue.health()).toMatchObject({ waiting: 0, dead: 1 })
    expect(await queue.status(handed.ticket)).toMatchObject({ state: 'failed', error: 'no' })
    const key = `sl1:{queue:${queue.name}}`
    expect(await client.xlen(`${key}:d`)).toBe(1)
    expect(await client.exists(`${key}:t`)).toBe(0)
    await client.call('ACL', 'SETUSER', 'default', '-xadd')
    await queue.close()
  },
)

it('where a processor needs a command that the user may not run, its observers are warned', async () => {
  const queue = listQueue({ name: newName(), redis: client, limit: 10, deadline, logger: quiet })
  let warn: (code: string) => void = () => {}
  const code = new Promise<string>((resolve) => {
    warn = resolve
  })
  const observers = [{ warned: ({ code }: { readonly code: string }) => warn(code) }]
  const worker = processor(queue, async () => {}, { observers, logger: quiet })
  expect(await code).toBe('SLUICE_FORBIDDEN')
  await worker.stop()
  await queue.close()
})
