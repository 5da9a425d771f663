import { type ClusterClientName, connectToCluster, type RedisCluster } from '@sluice/faults'
import { type RedisStoreOptions, redisStore, type Store } from '../../src/index.ts'

/** A store as an application makes it, on a client of its own. */
export interface Application {
  readonly store: Store
  end(): Promise<void>
}

/** A busy machine must not pass for an outage, unless a test is about outages. */
export const patient = '20s'

export async function applicationOn(
  cluster: RedisCluster,
  name: ClusterClientName,
  options: RedisStoreOptions = { deadline: patient },
): Promise<Application> {
  const { client, end } = await connectToCluster(name, cluster)
  const store = redisStore(client, options)
  return { store, end: () => store.close().then(end) }
}

/** Does something so often at once, each time with its number. */
export function atOnce<T>(times: number, work: (nth: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, nth) => work(nth)))
}

export const silent = { warn: () => {}, error: () => {} }
