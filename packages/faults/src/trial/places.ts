import { FaultyServer } from '../outage/faulty-server.ts'
import { RedisProcess } from '../outage/redis-process.ts'

/** The Redis that the servers count in. */
export interface Place {
  /** The URL for the servers. */
  readonly redis: string
  /** Variables of the servers' environment in addition to those of this process. */
  readonly environment?: NodeJS.ProcessEnv
  end(): Promise<void>
}

/** One server of Redis behind a proxy. */
export interface Proxied extends Place {
  readonly server: RedisProcess
  readonly proxy: FaultyServer
}

export async function behindProxy(): Promise<Proxied> {
  const server = await RedisProcess.prepare()
  const proxy = new FaultyServer(server.port)
  await proxy.start()
  await server.start()
  return {
    redis: proxy.url,
    server,
    proxy,
    async end() {
      await Promise.all([proxy.end(), server.end()])
    },
  }
}

/** One server of Redis that the servers reach without a proxy. */
export interface Unproxied extends Place {
  readonly server: RedisProcess
}

/** A server of Redis that has not been started yet. */
export async function notYetThere(): Promise<Unproxied> {
  const server = await RedisProcess.prepare()
  return { redis: server.url, server, end: () => server.end() }
}
