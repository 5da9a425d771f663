import { addSlots, RedisProcess } from '@sluice/faults'
import { serverVersion } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import type { RedisOptions } from '../../src/index.ts'
import { eventually } from './within.ts'

export const forms = ['url', 'cluster', 'sentinels'] as const
export type Form = (typeof forms)[number]

/** A cluster whose servers are known by a name and not by an address. Redis 6.2 has no names. */
const named =
  serverVersion().major === 6
    ? ['--cluster-announce-ip', '127.0.0.1']
    : ['--cluster-announce-hostname', 'localhost', '--cluster-preferred-endpoint-type', 'hostname']

/** One server, reached in one of the three ways. */
export class Place {
  readonly server: RedisProcess
  readonly options: RedisOptions
  /** Where there is none, the server. */
  readonly sentinel: RedisProcess

  private constructor(server: RedisProcess, sentinel: RedisProcess, options: RedisOptions) {
    this.server = server
    this.options = options
    this.sentinel = sentinel
  }

  static async start(form: Form, options: readonly string[] = []): Promise<Place> {
    const cluster = [...named, ...options]
    const server =
      form === 'cluster' ? await RedisProcess.prepareForCluster(cluster) : await RedisProcess.prepare(options)
    await server.start()
    if (form === 'url') return new Place(server, server, { url: server.url })
    if (form === 'cluster') return new Place(server, server, { cluster: [`localhost:${server.port}`] })
    const sentinel = await RedisProcess.prepareSentinel(server, options)
    await sentinel.start()
    return new Place(server, sentinel, { sentinels: [`localhost:${sentinel.port}`], master: 'mymaster' })
  }

  async end(): Promise<void> {
    await Promise.all([this.server.end(), this.sentinel.end()])
  }
}

/** What an administrator does, who needs no password at first. */
export class Admin {
  readonly #client: Redis

  constructor(port: number, tls?: object) {
    this.#client = new Redis({ port, lazyConnect: true, ...(tls && { tls }) })
  }

  async say(...commands: string[]): Promise<void> {
    for (const line of commands) {
      const [command = '', ...args] = line.split(' ')
      await this.#client.call(command, args)
    }
  }

  /** The one server becomes a whole cluster. */
  async formCluster(): Promise<void> {
    await addSlots(this.#client, 0, 16_383)
    await eventually(async () => (await this.#client.cluster('INFO')).includes('cluster_state:ok'))
  }

  end(): void {
    this.#client.disconnect()
  }
}
