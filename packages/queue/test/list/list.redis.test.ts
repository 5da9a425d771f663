import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { type Handed, listQueue, type Queue } from '../../src/index.ts'
import { newName, quiet } from '../redis-queue.ts'

type Members = ReturnType<Queue<string, never>['jobs']['join']>

const never = new AbortController().signal
const joining = { idleClaimMs: 60_000, maxAttempts: 3 }

let redis: Redis
let name: string
let queue: Queue<string, never>
const queues: Queue<string, never>[] = []
const members: Members[] = []
/** Codes and messages that observers got. */
let heard: string[] = []

beforeEach(() => {
  redis = new Redis({ path: socket })
  name = newName()
  heard = []
  queue = another(redis)
})

afterEach(async () => {
  for (const member of members.splice(0)) await member.leave({ unstarted: [], running: [] })
  for (const each of queues.splice(0)) await each.close()
  redis.disconnect()
})

/** The same queue, as another process has it. */
function another(client: Redis): Queue<string, never> {
  const observers = [
    { warned: ({ code, message }: { code: string; message: string }) => heard.push(`${code} ${message}`) },
  ]
  const made = listQueue<string>({ name, redis: client, limit: 5, deadline: '10s', logger: quiet, observers })
  queues.push(made)
  return made
}

function join(): Members {
  const member = queue.jobs.join(joining)
  members.push(member)
  return member
}

async function fill(...jobs: readonly string[]): Promise<readonly string[]> {
  const tickets: string[] = []
  for (const job of jobs) {
    const offer = await queue.offer(job)
    if (!offer.allowed) throw new Error(`refused as ${offer.reason}`)
    tickets.push(offer.ticket)
  }
  return tickets
}

const key = (part: string) => `sl1:{queue:${name}}:${part}`
const jobsOf = (handed: readonly Handed<string>[]) => handed.map(({ job }) => job)

describe('the bound', () => {
  it('holds over four connections and 64 callers, at every look', async () => {
    const clients = Array.from({ length: 4 }, () => new Redis({ path: socket }))
    const four = clients.map(another)
    await Promise.all(four.map((each) => each.ready()))
    let looking = true
    const looks = (async () => {
      let longest = 0
      while (looking) longest = Math.max(longest, await redis.llen(key('l')))
      return longest
    })()
    const offers = await Promise.all(Array.from({ length: 64 }, (_, i) => four[i % 4]?.offer(`job ${i}`)))
    looking = false
    expect(offers.filter((offer) => offer?.allowed)).toHaveLength(5)
    expect(await looks).toBeLessThanOrEqual(5)
    expect(await redis.get(key('n'))).toBe('5')
    for (const client of clients) client.disconnect()
  })

  it('is of what waits: what was taken makes room', async () => {
    await fill('a', 'b', 'c', 'd', 'e')
    await join().take(2, never)
    await fill('f', 'g')
    expect(await queue.offer('h')).toMatchObject({ reason: 'full' })
  })
})

describe('what was taken', () => {
  it('is nowhere else: its ticket is unknown, and nobody takes it again', async () => {
    const [first = '', second = ''] = await fill('a', 'b')
    await join().take(1, never)
    expect(await queue.status(first)).toBeUndefined()
    expect(await queue.status(second)).toMatchObject({ state: 'waiting', position: 1 })
    expect(jobsOf(await join().take(5, never))).toEqual(['b'])
    expect(await queue.health()).toMatchObject({ waiting: 0, running: 0, done: 2, dead: 0 })
  })

  it('is lost where its work fails, and observers are notified of each', async () => {
    const tickets = await fill('a', 'b', 'c')
    const member = join()
    const [a, b, c] = await member.take(3, never)
    if (a === undefined || b === undefined || c === undefined) throw new Error('took too few')
    await member.finish(a, { state: 'again', error: 'spilled', workMs: 1 })
    await member.finish(b, { state: 'failed', error: 'sour', workMs: 1 })
    await member.finish(c, { state: 'done', result: undefined as never, workMs: 1 })
    const lost = `SLUICE_QUEUE_JOB_LOST a job of the queue "${name}" is lost, as a list hands nothing out twice`
    expect(heard).toEqual([`${lost}: spilled (ticket ${tickets[0]})`, `${lost}: sour (ticket ${tickets[1]})`])
    expect((await queue.health()).warnings).toEqual(['SLUICE_QUEUE_JOB_LOST'])
  })

  it('and never begun is the next again, once, in its order', async () => {
    await fill('a', 'b', 'c')
    const leaving = join()
    const unstarted = await leaving.take(2, never)
    await leaving.leave({ unstarted, running: [] })
    await leaving.leave({ unstarted, running: [] })
    expect(jobsOf(await join().take(9, never))).toEqual(['a', 'b', 'c'])
  })

  it('and never begun is the next again, however many they are', async () => {
    const jobs = Array.from({ length: 10_000 }, (_, i) => `${i}`)
    await redis.lpush(key('l'), ...jobs.map((job) => `1.x-${job}."${job}"`))
    const leaving = join()
    const unstarted = await leaving.take(10_000, never)
    await leaving.leave({ unstarted, running: [] })
    expect(jobsOf(await join().take(10_000, never))).toEqual(jobs)
  })

  it('and not given back is reported as lost, once', async () => {
    const [ticket] = await fill('a')
    const leaving = join()
    const unstarted = await leaving.take(1, never)
    await redis.set(key('l'), 'what another program has written')
    await expect(leaving.leave({ unstarted, running: [] })).rejects.toMatchObject({ code: 'SLUICE_STORE' })
    await leaving.leave({ unstarted, running: [] })
    expect(heard).toEqual([expect.stringMatching(/^SLUICE_QUEUE_JOB_LOST .*giving it back failed/)])
    expect(heard[0]).toContain(`(ticket ${ticket})`)
  })
})

describe('a call that finds nothing', () => {
  it('brings the first that comes, and what came with it', async () => {
    const taking = join().take(3, never)
    // It has looked by now, and waits.
    while (Number((await redis.info('clients')).match(/blocked_clients:(\d+)/)?.[1]) === 0);
    await redis.multi().lpush(key('l'), '1.x-1."a"').lpush(key('l'), '1.x-2."b"').exec()
    expect(jobsOf(await taking)).toEqual(['a', 'b'])
  })

  it('counts that one as finished, however it was taken', async () => {
    const taking = join().take(1, never)
    while (Number((await redis.info('clients')).match(/blocked_clients:(\d+)/)?.[1]) === 0);
    await fill('a')
    expect(jobsOf(await taking)).toEqual(['a'])
    expect(Number(await redis.hget(key('m'), 'last'))).toBeGreaterThan(0)
  })

  it('ends after about a second', async () => {
    const startedMs = performance.now()
    expect(await join().take(1, never)).toEqual([])
    expect(performance.now() - startedMs).toBeGreaterThan(900)
  })
})

describe('waits', () => {
  it('are those between takes while work waited', async () => {
    await fill('a', 'b', 'c', 'd', 'e')
    const member = join()
    await member.take(1, never)
    await member.take(2, never)
    const [gaps, gapsUs, busy] = await redis.hmget(key('m'), 'n0', 'b0', 'u')
    // One from the first take to the second, and none between two that were taken together.
    expect([gaps, busy]).toEqual(['2', '1'])
    await member.take(2, never)
    expect(Number(await redis.hget(key('m'), 'b0'))).toBeGreaterThan(Number(gapsUs))
    expect(await redis.hmget(key('m'), 'n0', 'u')).toEqual(['4', '0'])
  })

  it('are not counted over idle time', async () => {
    const member = join()
    for (const job of ['a', 'b', 'c']) {
      await fill(job)
      await member.take(1, never)
    }
    expect(await redis.hmget(key('m'), 'n0', 'n1', 'u')).toEqual(['0', null, '0'])
  })

  it('are not longer for a list that was empty for years', async () => {
    const measured = { n0: 1, b0: 1000, last: 1, u: 0 }
    await redis.hset(key('m'), measured)
    const hour = 3_600_000
    const offer = await queue.offer('a')
    expect(offer.allowed && offer.waitMs !== null && offer.waitMs < hour).toBe(true)
  })
})

describe('the health of a list', () => {
  it('says the age of the oldest that waits', async () => {
    const [newMs, oldMs] = [20_000_000, 10_000_000]
    await redis.lpush(key('l'), `${oldMs}.x-1."a"`, `${newMs}.x-2."b"`)
    const [seconds] = await redis.time()
    const { oldestMs, waiting } = await queue.health()
    expect(waiting).toBe(2)
    expect(oldestMs).toBeGreaterThanOrEqual(Number(seconds) * 1000 - oldMs)
  })
})

describe('tickets', () => {
  it('that are guessed show a position, and nothing else', async () => {
    await fill('a', 'b')
    expect(await queue.status('AAAAAAAA-2')).toEqual({ state: 'waiting', position: 2, waitMs: null })
    for (const ticket of ['AAAAAAAA-0', 'AAAAAAAA-3', '2', 'AAAAAAAA-2x', `AAAAAAAA-${'9'.repeat(40)}`]) {
      expect(await queue.status(ticket)).toBeUndefined()
    }
  })
})

describe('what somebody else has done by hand', () => {
  it('is no job: it is reported as lost, and the others are handed out', async () => {
    await fill('a')
    await redis.rpush(key('l'), 'nonsense')
    expect(jobsOf(await join().take(5, never))).toEqual(['a'])
    expect(heard).toEqual([expect.stringContaining('it is no job that this queue has written')])
  })

  it('to its number leaves the entries, and shows no position that is not', async () => {
    const [first = ''] = await fill('a', 'b')
    await redis.del(key('n'))
    expect(await queue.status(first)).toBeUndefined()
    expect(jobsOf(await join().take(5, never))).toEqual(['a', 'b'])
    expect(await queue.offer('c')).toMatchObject({ position: 1 })
  })
})

// biome-ignore format: a table
test.each([
  // options                path
  [{ deadLetters: 5 },      'deadLetters'],
  [{ keepResults: '1h' },   'keepResults'],
  [{ limit: 0 },            'limit'],
  [{ redis: 'somewhere' },  'redis'],
])('refuses %j', (options, path) => {
  const make = () => listQueue({ name: 'orders', limit: 3, redis, ...options })
  expect(make).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }))
})
