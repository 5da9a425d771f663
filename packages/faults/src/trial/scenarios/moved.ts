import { RedisProcess } from '../../outage/redis-process.ts'
import { demote, say } from '../../outage/troubles.ts'
import { until } from '../../outage/until.ts'
import { behindProxy, type Clustered, type Proxied, threeMasters, type Watched, watched } from '../places.ts'
import type { Trial } from '../trial.ts'

interface WithSpare extends Proxied {
  /** Empty, and not used by any server yet. */
  readonly spare: RedisProcess
}

async function withSpare(): Promise<WithSpare> {
  const place = await behindProxy()
  const spare = await RedisProcess.prepare()
  await spare.start()
  return {
    ...place,
    spare,
    async end() {
      await Promise.all([place.end(), spare.end()])
    },
  }
}

export const elsewhere: Trial<WithSpare> = {
  title: 'a name that leads to another server, and an empty one',
  frameworks: ['koa'],
  place: withSpare,
  forgets: true,
  lastsMs: 0,
  async befall({ place: { proxy, server, spare } }) {
    proxy.leadTo(spare.port)
    // Nothing announces that the name has moved: the old server is now a replica, as after a failover.
    await demote(server, { port: 1 })
    return async () => {}
  },
}

export const failedOver: Trial<Watched> = {
  title: 'a master that dies, and Sentinel makes another one',
  frameworks: ['fastify'],
  place: watched,
  lastsMs: 0,
  async befall({ place: { master, replica } }) {
    await master.kill()
    const promoted = async () => String(await say(replica, 'INFO', 'replication')).includes('role:master')
    return () => until(promoted, { what: 'waiting for the fail-over' })
  },
}

export const masterLost: Trial<Clustered> = {
  title: 'a master of a cluster that dies',
  frameworks: ['express'],
  place: threeMasters,
  lastsMs: 0,
  async befall({ place: { cluster } }) {
    await cluster.master(0).server.kill()
    return () => cluster.tookOver(cluster.replica(0))
  },
}
