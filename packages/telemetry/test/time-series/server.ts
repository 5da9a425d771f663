import { AnsweringServer, type Reply } from '@sluice/faults/outage'
import { TimeSeriesModule } from './module.ts'

interface Manner {
  /** @default true */
  readonly module?: boolean
  /** What a user may not do: answered by NOPERM. */
  readonly forbidden?: readonly string[]
  /** What the server's configuration has renamed. */
  readonly renamed?: readonly string[]
}

/** One of a cluster, and the first and last slot that it holds. */
interface Place {
  readonly server: TimeSeriesServer
  readonly from: number
  readonly to: number
}

/** A server over TCP that has the module TimeSeries as its replies were recorded, and otherwise just what a client needs. */
export class TimeSeriesServer {
  module = new TimeSeriesModule()
  /** All that it was sent, but for what clients send by themselves. */
  readonly commands: (readonly string[])[] = []
  /** Milliseconds that keys were given to live. */
  readonly lives = new Map<string, number>()
  readonly #server = new AnsweringServer((words) => this.#run(words))
  #manner: Manner = {}
  #places: readonly Place[] = []
  /** As after timeseries.REFRESHCLUSTER: each answers for all. */
  refreshed = false

  /** Listens on a port that is free. */
  async start(manner: Manner = {}): Promise<void> {
    this.#manner = manner
    await this.#server.start()
  }

  become(manner: Manner): void {
    this.#manner = manner
  }

  /** As one that has just been started, with the same connections. */
  empty(): void {
    this.module = new TimeSeriesModule()
    this.commands.splice(0)
    this.lives.clear()
  }

  /** Servers that know of each other. */
  static join(servers: readonly TimeSeriesServer[]): void {
    const each = Math.ceil(16_384 / servers.length)
    const places = servers.map((server, i) => {
      return { server, from: i * each, to: Math.min(16_383, (i + 1) * each - 1) }
    })
    for (const server of servers) server.#places = places
  }

  get port(): number {
    return this.#server.port
  }

  end(): Promise<void> {
    return this.#server.end()
  }

  #run(words: readonly string[]): Reply {
    const [command = '', ...args] = words
    const name = command.toUpperCase()
    if (this.#manner.forbidden?.includes(name))
      return { error: `NOPERM User default has no permissions to run the '${name}' command` }
    if (this.#manner.renamed?.includes(name)) return unknown(name, args)
    if (name === 'CLUSTER') return this.#cluster(args)
    this.commands.push(words)
    return this.#answer(name, words)
  }

  #answer(name: string, [, ...args]: readonly string[]): Reply {
    const hasModule = this.#manner.module !== false
    switch (name) {
      case 'TIME':
        return [String(Math.floor(Date.now() / 1000)), String((Date.now() % 1000) * 1000)]
      case 'COMMAND':
        return [hasModule ? ['ts.add', -4, [{ status: 'write' }, { status: 'denyoom' }], 1, 1, 1] : null]
      case 'PEXPIRE': {
        const [key = '', ms] = args
        if (!this.module.keys.includes(key)) return 0
        this.lives.set(key, Number(ms))
        return 1
      }
      default:
        return hasModule ? this.#runModule(name, args) : unknown(name, args)
    }
  }

  #runModule(name: string, args: readonly string[]): Reply {
    const words = [name, ...args]
    if (!this.refreshed || !['TS.MRANGE', 'TS.QUERYINDEX'].includes(name)) return this.module.run(words)
    return joined(this.#places.map(({ server }) => server.module.run(words)))
  }

  #cluster([part = '']: readonly string[]): Reply {
    if (part.toUpperCase() === 'INFO') return 'cluster_state:ok\r\n'
    return this.#places.map(({ server: { port }, from, to }) => [from, to, ['127.0.0.1', port, String(port)]])
  }
}

function unknown(name: string, [first = '']: readonly string[]): Reply {
  return { error: `ERR unknown command '${name}', with args beginning with: '${first}' ` }
}

/** Replies of several servers as one of them gives them. */
function joined(replies: readonly Reply[]): Reply {
  const parts = replies.map((reply) => {
    if (typeof reply === 'object' && reply !== null && 'set' in reply) return reply
    if (typeof reply === 'object' && reply !== null && 'resp2' in reply) return reply
    throw new Error('only what lists series is joined')
  })
  const sets = parts.flatMap((part) => ('set' in part ? part.set : []))
  if (sets.length > 0) return { set: sets }
  const list = parts.flatMap((part) => ('resp2' in part ? (part.resp2 as readonly Reply[]) : [])) // it is made as a list
  return { resp2: list, resp3: list }
}
