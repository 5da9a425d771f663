import { setTimeout as pause } from 'node:timers/promises'
import { everyCount } from '@sluice/conformance/every-strategy'
import { concurrency, createLimiter, gcra, redisStore } from '@sluice/core'
import { Redis } from 'ioredis'
import { silent } from '../calls.ts'
import { serve } from '../helper.ts'
import { type Request, week } from './week.ts'

/** How long what is counted matters: a few of the hours as they are replayed. */
const window = '30s'
const policies = everyCount(20, window)

interface Tally {
  asked: number
  allowed: number
  leases: number
  waited: number
  notFromRedis: number
}

interface Task {
  readonly socket: string
  /** Every which request is this process's. */
  readonly nth: number
  readonly processes: number
  /** How much faster than the week itself. */
  readonly speed: number
  /** Of how many requests one is sent. */
  readonly thin: number
}

/** In bytes, as soon as nothing more can be collected. */
interface Used {
  readonly heap: number
  readonly resident: number
  readonly timers: number
  readonly listeners: number
}

/** What there is before a limiter is open, and after the last is closed. */
export interface Left {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly tally: Tally
}

const tally: Tally = { asked: 0, allowed: 0, leases: 0, waited: 0, notFromRedis: 0 }
const abort = new AbortController()
const under = new Set<Promise<void>>()
let before: readonly string[] = []
let close = async (): Promise<void> => {}
let client: Redis | undefined
/** A busy machine is no outage. What is noted for one is kept up to so many keys, which a day reaches. */
const options = { deadline: '5s', maxKeys: 2000 } as const

async function begin({ socket, nth, processes, speed, thin }: Task): Promise<void> {
  client = new Redis(socket)
  await client.ping()
  before = resources()
  const store = redisStore(client, options)
  const limiters = {
    counts: createLimiter({ name: 'counts', policies, store, logger: silent }),
    leases: createLimiter({
      name: 'leases',
      policy: concurrency({ limit: 5, lease: '10s' }),
      store,
      logger: silent,
    }),
    lines: createLimiter({
      name: 'lines',
      policy: gcra({ count: 10, period: '1s', maxDebt: '2s' }),
      store,
      logger: silent,
    }),
  }

  async function ask({ client: key }: Request, i: number): Promise<void> {
    const { allowed, source } = await limiters.counts.check(key)
    tally.asked++
    if (allowed) tally.allowed++
    if (source !== 'redis') tally.notFromRedis++
    if (i % 4 === 0) {
      const lease = await limiters.leases.check(key)
      if (lease.allowed) tally.leases++
      await pause(i % 100)
      await lease.release()
    }
    if (i % 50 === 0) {
      await limiters.lines.wait('everybody', { maxWait: '1s' })
      tally.waited++
    }
  }

  async function askAll(): Promise<void> {
    const startedMs = performance.now()
    let i = 0
    let sent = 0
    for (const request of week()) {
      if (i++ % (processes * thin) !== nth) continue
      const dueMs = startedMs + request.atUs / 1000 / speed
      const aheadMs = dueMs - performance.now()
      if (aheadMs > 1) await pause(aheadMs, undefined, { signal: abort.signal })
      const asked = ask(request, sent++).finally(() => under.delete(asked))
      under.add(asked)
    }
  }

  const all = askAll().catch(() => {})
  close = async () => {
    abort.abort()
    await all
    await Promise.all(under)
    for (const limiter of Object.values(limiters)) await limiter.close()
    await store.close()
  }
}

/** What would keep this process, beside the sockets, and how many listen to the process and the client. */
function resources(): readonly string[] {
  const timers = process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap')
  const listeners = [process, client].flatMap((emitter) =>
    (emitter?.eventNames() ?? []).map((name) => `${String(name)} ${emitter?.listenerCount(name)}`),
  )
  return [...timers, ...listeners].sort()
}

function used(): Used {
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  const ofClient =
    client?.eventNames().reduce((sum, name) => sum + (client?.listenerCount(name) ?? 0), 0) ?? 0
  const ofProcess = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  return { heap: heapUsed + external, resident: rss, timers, listeners: ofClient + ofProcess }
}

async function end(): Promise<Left> {
  await close()
  const after = resources()
  client?.disconnect()
  return { before, after, tally }
}

export type Duties = { begin: typeof begin; used: () => Used; end: typeof end }
serve({ begin, used, end } satisfies Duties)
