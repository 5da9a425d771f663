import type { Access, Place, Settings } from './access.ts'
import { ClientEvents, type NodeRedisEvents } from './client-events.ts'
import {
  type GlideLike,
  type IoredisLike,
  isIoredisCluster,
  isNodeRedisCluster,
  type NodeRedisLike,
} from './client-kinds.ts'
import { warningsOfIoredis, warningsOfIoredisCluster, warningsOfNodeRedis } from './client-warnings.ts'
import { type Connection, LoadedCluster, LoadedConnection } from './connection.ts'
import type { RestPlace } from './rest-options.ts'

// The code for each kind of client is loaded where a connection by it is made. `from…`: over the caller's own client, which is never
// closed here. `like…`: over another one that reaches what the caller's does. `to…`: over one that is made from options.

export function fromIoredis(client: IoredisLike): Connection {
  // A lazy client is connected by its owner, or when it is first asked.
  const willConnect = (asked: boolean) => asked || client.status !== 'wait'
  if (isIoredisCluster(client)) {
    const load = async () => (await import('./clients/ioredis-cluster.ts')).overIoredisCluster(client)
    return new LoadedCluster(load, { warnings: warningsOfIoredisCluster(client), willConnect })
  }
  const load = async () => (await import('./clients/ioredis.ts')).overIoredis(client)
  return new LoadedConnection(load, { warnings: warningsOfIoredis(client), willConnect })
}

export function likeIoredis(client: IoredisLike, more?: Settings): Connection {
  const ours = import('./clients/ioredis-own.ts')
  return isIoredisCluster(client)
    ? new LoadedCluster(async () => (await ours).likeIoredisCluster(client, more))
    : new LoadedConnection(async () => (await ours).likeIoredis(client, more))
}

export function fromNodeRedis(given: NodeRedisLike): Connection {
  const client = given as NodeRedisLike & NodeRedisEvents // isNodeRedis was asked
  const willConnect = () => client.isOpen
  if (isNodeRedisCluster(client)) {
    const load = async () => (await import('./clients/node-redis.ts')).overNodeRedisCluster(client)
    return new LoadedCluster(load, { willConnect })
  }
  const events = new ClientEvents(client)
  const load = async () => (await import('./clients/node-redis.ts')).overNodeRedis(client, events)
  return new LoadedConnection(load, { warnings: warningsOfNodeRedis(client), willConnect })
}

export function likeNodeRedis(client: NodeRedisLike): Connection {
  const load = async () => (await import('./clients/node-redis.ts')).likeNodeRedis(client)
  return isNodeRedisCluster(client) ? new LoadedCluster(load) : new LoadedConnection(load)
}

export function fromGlide(client: GlideLike): Connection {
  return new LoadedConnection(async () => (await import('./clients/glide.ts')).overGlide(client))
}

export function fromRest(place: RestPlace): Connection {
  return new LoadedConnection(async () => new (await import('./clients/rest.ts')).RestConnection(place), {
    apart: true,
  })
}

export function toPlace(place: Place, access: Access, more?: Settings): Connection {
  const load = async () => (await import('./clients/ioredis-own.ts')).toPlace(place, access, more)
  return 'cluster' in place ? new LoadedCluster(load) : new LoadedConnection(load)
}
