import { setTimeout as elapse } from 'node:timers/promises'
import { createLimiter, fixedWindow, redisStore, type Store } from '@sluice/core'
import { demote, FaultyServer, failSaves, fill, occupy, RedisProcess, say } from '@sluice/faults'
import { courseOf, deadlineMs, lateMs, limit, type Outage } from './course.ts'

type Befall = (server: RedisProcess, way: FaultyServer) => Promise<() => Promise<void>>

/** Each begins, and answers how it ends. */
const befalls: Readonly<Record<Outage, Befall>> = {
  'lost replies': async (_server, way) => {
    way.become({ fault: 'silence' })
    return async () => way.become({ fault: 'none' })
  },
  'late replies': async (_server, way) => {
    way.become({ fault: 'delay', ms: lateMs })
    return async () => way.become({ fault: 'none' })
  },
  'silent connections': async (_server, way) => {
    way.become({ fault: 'blackhole' })
    way.cutCables()
    return async () => way.become({ fault: 'none' })
  },
  'a hang': async (server) => {
    server.hang()
    return async () => server.goOn()
  },
  'a reset': async (_server, way) => {
    way.cut()
    return async () => {}
  },
  'refused connections': async (_server, way) => {
    await way.refuse()
    return () => way.start()
  },
  'a restart without data': async (server) => {
    await server.kill()
    return () => server.start()
  },
  READONLY: (server) => demote(server, { port: 1 }),
  OOM: (server) => fill(server),
  MISCONF: (server) => failSaves(server),
  BUSY: (server) => occupy(server),
  'lost scripts': async (server) => {
    await say(server, 'SCRIPT', 'FLUSH')
    return async () => {}
  },
}

/** A server of Redis that nobody else uses, and a way to it. */
export class OwnServer {
  readonly #server: RedisProcess
  readonly #way: FaultyServer

  private constructor(server: RedisProcess) {
    this.#server = server
    this.#way = new FaultyServer(server.port)
  }

  static async start(): Promise<OwnServer> {
    const own = new OwnServer(await RedisProcess.prepare())
    await own.#server.start()
    await own.#way.start()
    return own
  }

  /** Through a client that is made for its URL. */
  async course(outage: Outage): Promise<readonly string[]> {
    const store = redisStore(this.#way.url, settings)
    const elsewhere = redisStore(this.#server.url, settings)
    const befall = async (what: Outage, forMs: number) => {
      const end = await befalls[what](this.#server, this.#way)
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
    await this.#way.end()
    await this.#server.end()
  }
}

const settings = { deadline: deadlineMs, refusalCache: 0 }

function limiterOn(store: Store) {
  const policy = fixedWindow({ limit, window: '1h' })
  return createLimiter({ store, policy, logger: { warn() {}, error() {} } })
}
