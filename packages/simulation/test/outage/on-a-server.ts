import { setTimeout as elapse } from 'node:timers/promises'
import { createLimiter, fixedWindow, redisStore, type Store } from '@sluice/core'
import {
  demote,
  FaultyServer,
  failSaves,
  fill,
  occupy,
  RedisProcess,
  SteppedClock,
  say,
  whyNoSteppedServer,
} from '@sluice/faults'
import { courseOf, deadlineMs, lateMs, limit, type Outage } from './course.ts'

interface Parts {
  readonly server: RedisProcess
  readonly way: FaultyServer
  readonly clock: SteppedClock
}

type Befall = (parts: Parts) => Promise<() => Promise<void>>

const nothing = async () => {}

/** Each begins, and answers how it ends. */
const befalls: Readonly<Record<Outage, Befall>> = {
  'lost replies': async ({ way }) => {
    way.become({ fault: 'silence' })
    return async () => way.become({ fault: 'none' })
  },
  'late replies': async ({ way }) => {
    way.become({ fault: 'delay', ms: lateMs })
    return async () => way.become({ fault: 'none' })
  },
  'silent connections': async ({ way }) => {
    way.become({ fault: 'blackhole' })
    way.cutCables()
    return async () => way.become({ fault: 'none' })
  },
  'a hang': async ({ server }) => {
    server.hang()
    return async () => server.goOn()
  },
  'a reset': async ({ way }) => {
    way.cut()
    return nothing
  },
  'half of a connection that ends': async ({ way }) => {
    way.halfClose()
    return nothing
  },
  'refused connections': async ({ way }) => {
    await way.refuse()
    return () => way.start()
  },
  'a restart without data': async ({ server }) => {
    await server.kill()
    return () => server.start()
  },
  READONLY: ({ server }) => demote(server, { port: 1 }),
  OOM: ({ server }) => fill(server),
  MISCONF: ({ server }) => failSaves(server),
  BUSY: ({ server }) => occupy(server),
  'lost scripts': async ({ server }) => {
    await say(server, 'SCRIPT', 'FLUSH')
    return nothing
  },
  'a clock an hour ahead': async ({ clock }) => {
    clock.step(3600)
    return nothing
  },
}

/** A server of Redis that nobody else uses, and a way to it. */
export class OwnServer {
  readonly #parts: Parts

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  static async start(): Promise<OwnServer> {
    const clock = new SteppedClock()
    const environment = whyNoSteppedServer() === undefined ? clock.forServer() : {}
    const server = await RedisProcess.prepare([], { environment })
    await server.start()
    const way = new FaultyServer(server.port)
    await way.start()
    return new OwnServer({ server, way, clock })
  }

  /** Through a client that is made for its URL. */
  async course(outage: Outage): Promise<readonly string[]> {
    const store = redisStore(this.#parts.way.url, settings)
    const elsewhere = redisStore(this.#parts.server.url, settings)
    const befall = async (what: Outage, forMs: number) => {
      const end = await befalls[what](this.#parts)
      return { over: elapse(forMs).then(end) }
    }
    try {
      const [limiter, witness] = [limiterOn(store), limiterOn(elsewhere)]
      return await courseOf({ limiter, witness, befall, elapse }, outage)
    } finally {
      await Promise.all([store.close(), elsewhere.close()])
    }
  }

  async end(): Promise<void> {
    const { server, way, clock } = this.#parts
    await way.end()
    await server.end()
    clock.end()
  }
}

const settings = { deadline: deadlineMs, refusalCache: 0 }

function limiterOn(store: Store) {
  const policy = fixedWindow({ limit, window: '1h' })
  return createLimiter({ store, policy, logger: { warn() {}, error() {} } })
}
