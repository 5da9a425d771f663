import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import { socket } from '@sluice/faults/redis-socket'
import { manualClock } from '@sluice/testing'
import { Redis } from 'ioredis'
import { concurrency, createLimiter, redisStore } from '../../src/index.ts'
import { fromIoredis } from '../../src/redis/connections.ts'
import { RedisStore } from '../../src/redis/store.ts'
import type { Crowd, Event } from './worker.ts'

const client = new Redis({ path: socket })
const store = redisStore(client, { deadline: '5s' })
const logger = { warn() {}, error() {} }
afterAll(async () => {
  await store.close()
  client.disconnect()
})

const program = bundled(path.join(import.meta.dirname, 'worker.ts'))
let workers: ChildProcess[] = []
let events: Event[] = []

async function started(): Promise<ChildProcess> {
  const worker = fork(await program(), [socket])
  await once(worker, 'message')
  return worker
}

/** Sends each process its callers; resolves when all of them are done, or their process has died. */
async function come(crowds: readonly Crowd[]): Promise<void> {
  await Promise.all(
    crowds.map((crowd, nth) => {
      const worker = workers[nth]
      return new Promise<void>((resolve) => {
        worker?.on('message', (event: Event | 'done') => {
          if (event === 'done') resolve()
          else events.push(event)
        })
        worker?.once('exit', () => resolve())
        worker?.send(crowd)
      })
    }),
  )
}

function begun(): Extract<Event, { kind: 'began' }>[] {
  return events.flatMap((event) => (event.kind === 'began' ? [event] : []))
}

/** Who came at least so much earlier than one that began before it, and its process did not stand still meanwhile. */
function overtaken(byMs: number): readonly string[] {
  const all = begun()
  return all.flatMap((late, at) =>
    all.slice(0, at).flatMap((early) => {
      return late.cameMs + late.stoodMs + byMs < early.cameMs
        ? [`${late.name} came before ${early.name}`]
        : []
    }),
  )
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Callers of three processes in turns, one every so many ms. */
function crowdsOf(
  count: number,
  { limit, everyMs, workMs }: { limit: number; everyMs: number; workMs: number },
) {
  const key = randomBytes(6).toString('hex')
  const startMs = Date.now() + 200
  return [0, 1, 2].map((process): Crowd => {
    const callers = Array.from({ length: count }, (_, nth) => {
      return { name: `${process}-${nth}`, atMs: startMs + (3 * nth + process) * everyMs, workMs }
    })
    return { key, limit, callers }
  })
}

/** The state of a key, as the server lists it. */
async function stateOf(key: string): Promise<readonly string[]> {
  return (await client.keys('*')).filter((name) => name.includes(key) && !name.endsWith(':at-work'))
}

describe('a line of several processes', () => {
  beforeEach(async () => {
    events = []
    workers = await Promise.all([started(), started(), started()])
  })

  afterEach(async () => {
    for (const worker of workers) {
      if (worker.exitCode !== null || worker.signalCode !== null) continue
      worker.kill('SIGKILL')
      await once(worker, 'exit')
    }
  })

  it('serves its callers in the order in which they came, and never more at once than the limit', async () => {
    const crowds = crowdsOf(10, { limit: 1, everyMs: 30, workMs: 20 })
    await come(crowds)
    expect(begun()).toHaveLength(30)
    expect(Math.max(...begun().map(({ atWork }) => atWork))).toBe(1)
    // A caller comes to the line at the time of its call, give or take what the machine is busy with.
    expect(overtaken(100)).toEqual([])
    expect(await stateOf(crowds[0]?.key ?? '')).toEqual([])
  })

  it('has as many at work as there are places', async () => {
    await come(crowdsOf(20, { limit: 4, everyMs: 2, workMs: 50 }))
    expect(begun()).toHaveLength(60)
    expect(Math.max(...begun().map(({ atWork }) => atWork))).toBe(4)
  })

  it('moves on when a process is killed that holds places and has callers in line', async () => {
    const crowds = crowdsOf(6, { limit: 1, everyMs: 20, workMs: 300 })
    const done = come(crowds)
    await until(() => begun().some(({ name }) => name.startsWith('1-')))
    const killed = workers[1]
    killed?.kill('SIGKILL')
    await done
    const ended = events.filter(({ kind }) => kind === 'ended').map(({ name }) => name)
    expect(ended.filter((name) => !name.startsWith('1-')).sort()).toEqual(
      [0, 2].flatMap((process) => Array.from({ length: 6 }, (_, nth) => `${process}-${nth}`)),
    )
    expect(overtaken(100)).toEqual([])
  })
})

describe('a line in Redis', () => {
  const policy = concurrency({ limit: 1, lease: '2s' })

  it('is gone with its callers, and lives no longer than a lease', async () => {
    const name = randomBytes(6).toString('hex')
    const limiter = createLimiter({ name, policy, store, logger })
    const holder = await limiter.check('bob')
    const given = new AbortController()
    const waiting = limiter.wait('bob', { signal: given.signal })
    const [key = ''] = await until(() => limiter.health().sleepers === 1).then(() => stateOf(name))
    while ((await client.zcard(key)) < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    const lifeMs = await client.pttl(key)
    expect(lifeMs > 0 && lifeMs <= 2000).toBe(true)
    given.abort()
    await expect(waiting).rejects.toThrow()
    while ((await client.zcard(key)) > 1) await new Promise((resolve) => setTimeout(resolve, 5))
    await holder.release()
    expect(await client.exists(key)).toBe(0)
    await limiter.close()
  })

  it('has heard of all who have left when their limiter is closed', async () => {
    const name = randomBytes(6).toString('hex')
    const limiter = createLimiter({ name, policy, store, logger })
    await limiter.check('bob')
    const waiting = Array.from({ length: 20 }, () => limiter.wait('bob').catch(() => {}))
    const [key = ''] = await until(() => limiter.health().sleepers === 20).then(() => stateOf(name))
    while ((await client.zcard(key)) < 41) await new Promise((resolve) => setTimeout(resolve, 5))
    await limiter.close()
    expect(await client.zcard(key)).toBe(1)
    await Promise.all(waiting)
  })

  it('asks the server a few times in a second, however many wait', async () => {
    const name = randomBytes(6).toString('hex')
    const clock = manualClock()
    const connection = fromIoredis(client)
    const store = Object.assign(new RedisStore({ connection, prefix: '', deadlineUs: 0 }), { clock })
    const limiter = createLimiter({ name, policy, store, logger })
    const holder = await limiter.check('bob')
    const waiting = Array.from({ length: 200 }, () => limiter.wait('bob', { maxWait: '30s' }).catch(() => {}))
    /** Lets time pass for the limiter alone, in steps in which the server answers. */
    const pass = async (ms: number) => {
      for (let passedMs = 0; passedMs < ms; passedMs += 10) {
        await clock.advance(10)
        await client.ping()
      }
    }
    const calls = async () => {
      const [, count = '0'] = /cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats')) ?? []
      return Number(count)
    }
    await until(() => limiter.health().sleepers === 200)
    await pass(1000)
    const before = await calls()
    await pass(2000)
    const asked = (await calls()) - before
    // Four polls a second, one of which is longer, and the renewals of the place that is held.
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThan(14)
    await holder.release()
    await limiter.close()
    await store.close()
    await Promise.all(waiting)
  })
})
