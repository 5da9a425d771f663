import type { StoreUnderTest } from '@sluice/conformance'
import { Cluster as Cluster5 } from 'ioredis5'
import { Cluster } from 'ioredis6'
import { createCluster as createCluster5 } from 'redis5'
import { createCluster } from 'redis6'
import {
  type Connected,
  inVirtualTime,
  overIoredis,
  overNodeRedis,
  renamed,
  type VirtualTime,
} from '../redis-under-test.ts'
import type { RedisCluster } from './redis-cluster.ts'

export type ClusterClientName = 'ioredis 5' | 'ioredis 6' | 'node-redis 5' | 'node-redis 6'

export const clusterClientNames: readonly ClusterClientName[] = [
  'ioredis 5',
  'ioredis 6',
  'node-redis 5',
  'node-redis 6',
]

interface ClusterAccess {
  /** Other addresses by which it reaches the servers. */
  readonly translate?: (address: string) => { host: string; port: number }
  readonly password?: string
}

/** Makes a client as an application does, with nothing but the addresses and what else is given. */
export async function connectToCluster(
  client: ClusterClientName,
  { addresses }: RedisCluster,
  { translate, password }: ClusterAccess = {},
): Promise<Connected> {
  const rootNodes = addresses.map(({ host, port }) => ({ url: `redis://${host}:${port}` }))
  const access = password === undefined ? {} : { password }
  const settings = { redisOptions: access, ...(translate && { natMap: translate }) }
  const nodeSettings = { defaults: access, ...(translate && { nodeAddressMap: translate }) }
  switch (client) {
    case 'ioredis 5':
      return overIoredis(new Cluster5([...addresses], settings))
    case 'ioredis 6':
      return overIoredis(new Cluster([...addresses], settings))
    case 'node-redis 5':
      return overNodeRedis(createCluster5({ rootNodes, ...nodeSettings }).on('error', () => {}))
    case 'node-redis 6':
      return overNodeRedis(createCluster({ rootNodes, ...nodeSettings }).on('error', () => {}))
  }
}

/** The Redis store on a cluster, in virtual time. */
export async function clusterUnderTest(
  cluster: RedisCluster,
  { client, ...options }: VirtualTime & { readonly client: ClusterClientName },
): Promise<StoreUnderTest> {
  return inVirtualTime(await connectToCluster(client, cluster), new Cluster([...cluster.addresses]), options)
}

/** The same store, where each policy counts under a key of its own: what one question asks lies in several slots. */
export function spreadOut(subject: StoreUnderTest): StoreUnderTest {
  return renamed(subject, (check) => ({ ...check, key: `${check.key} ${check.id}` }))
}
