import type { RedisOptions } from '@sluice/core'
import { RedisCluster } from '../cluster/redis-cluster.ts'
import { FaultyServer } from '../outage/faulty-server.ts'
import { RedisProcess } from '../outage/redis-process.ts'
import { say } from '../outage/troubles.ts'
import { until } from '../outage/until.ts'

/** Where the servers count. */
export interface Place {
  /** The URL or options for the servers. */
  readonly redis: string | RedisOptions
  /** Further variables of the environment, for the first or the second process of a framework. */
  readonly environmentOf?: (server: number) => NodeJS.ProcessEnv
  end(): Promise<void>
}

/** One server of Redis behind a proxy. */
export interface Proxied extends Place {
  readonly server: RedisProcess
  readonly proxy: FaultyServer
}

async function proxied(options: readonly string[] = []): Promise<Proxied> {
  const server = await RedisProcess.prepare(options)
  const proxy = new FaultyServer(server.port)
  await proxy.start()
  return {
    redis: proxy.url,
    server,
    proxy,
    async end() {
      await Promise.all([proxy.end(), server.end()])
    },
  }
}

/** One server of Redis, started with these options, behind a proxy. */
export async function behindProxy(options: readonly string[] = []): Promise<Proxied> {
  const place = await proxied(options)
  await place.server.start()
  return place
}

/** One server of Redis that the servers reach without a proxy. */
export interface Unproxied extends Place {
  readonly server: RedisProcess
}

/** One that has not been started yet. */
export async function notYetThere(): Promise<Unproxied> {
  const server = await RedisProcess.prepare()
  return { redis: server.url, server, end: () => server.end() }
}

/** A cluster of three masters, with a replica each. */
export interface Clustered extends Place {
  readonly cluster: RedisCluster
}

export async function threeMasters(): Promise<Clustered> {
  const cluster = new RedisCluster()
  await cluster.start()
  const nodes = cluster.addresses.map(({ host, port }) => `${host}:${port}`)
  return { redis: { cluster: nodes }, cluster, end: () => cluster.end() }
}

/** A master with a replica, and a Sentinel that decides when the replica takes over. */
export interface Watched extends Place {
  readonly master: RedisProcess
  readonly replica: RedisProcess
  readonly sentinel: RedisProcess
}

export async function watched(): Promise<Watched> {
  const master = await RedisProcess.prepare()
  await master.start()
  const replica = await RedisProcess.prepare(['--replicaof', '127.0.0.1', String(master.port)])
  await replica.start()
  await until(() => follows(replica), { what: 'waiting for the replica' })
  const sentinel = await RedisProcess.prepareSentinel(master)
  await sentinel.start()
  return {
    redis: { sentinels: [`127.0.0.1:${sentinel.port}`], master: 'mymaster' },
    master,
    replica,
    sentinel,
    async end() {
      await Promise.all([sentinel, replica, master].map((server) => server.end()))
    },
  }
}

async function follows(replica: RedisProcess): Promise<boolean> {
  return String(await say(replica, 'INFO', 'replication')).includes('master_link_status:up')
}
