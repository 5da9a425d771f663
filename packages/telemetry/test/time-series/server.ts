import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { TimeSeriesModule } from './module.ts'
import { Commands, encode, type Reply } from './resp.ts'

interface Manner {
  /** @default true */
  readonly module?: boolean
  /** What a user may not do: answered by NOPERM. */
  readonly forbidden?: readonly string[]
}

/** One of a cluster, and the first and last slot that it holds. */
interface Place {
  readonly server: TimeSeriesServer
  readonly from: number
  readonly to: number
}

/** A server over TCP that has the module TimeSeries as its replies were recorded, and otherwise just what a client needs. */
export class TimeSeriesServer {
  readonly module = new TimeSeriesModule()
  /** All that it was sent, but for what clients send by themselves. */
  readonly commands: (readonly string[])[] = []
  /** Milliseconds that keys were given to live. */
  readonly lives = new Map<string, number>()
  readonly #server: Server = createServer((socket) => this.#serve(socket))
  readonly #sockets = new Set<Socket>()
  #manner: Manner = {}
  #places: readonly Place[] = []
  /** As after timeseries.REFRESHCLUSTER: each answers for all. */
  refreshed = false

  /** Listens on a port that is free. */
  async start(manner: Manner = {}): Promise<void> {
    this.#manner = manner
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  become(manner: Manner): void {
    this.#manner = manner
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
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('it listens on a port')
    return address.port
  }

  async end(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    const commands = new Commands()
    let protocol = 2
    socket.on('data', (chunk) => {
      for (const words of commands.read(chunk)) {
        if (words[0]?.toUpperCase() === 'HELLO') protocol = Number(words[1] ?? 2)
        socket.write(encode(this.#run(words, protocol), protocol))
      }
    })
  }

  #run(words: readonly string[], protocol: number): Reply {
    const [command = '', ...args] = words
    const name = command.toUpperCase()
    if (this.#manner.forbidden?.includes(name))
      return { error: `NOPERM User default has no permissions to run the '${name}' command` }
    switch (name) {
      case 'HELLO':
        return {
          map: [
            ['server', 'redis'],
            ['version', '7.0.15'],
            ['proto', protocol],
          ],
          as: 'flat',
        }
      case 'INFO':
        return 'loading:0\r\n'
      case 'CLUSTER':
        return this.#cluster(args)
      case 'CLIENT':
      case 'SELECT':
      case 'READONLY':
      case 'QUIT':
        return { status: 'OK' }
      default:
        this.commands.push(words)
        return this.#answer(name, words)
    }
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
