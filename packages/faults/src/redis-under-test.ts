import { baseUs, type StoreUnderTest } from '@sluice/conformance'
import type { Check, IoredisLike, NodeRedisLike } from '@sluice/core'
import { type Connection, fromIoredis, fromNodeRedis, RedisStore } from '@sluice/core/internal'
import { Redis as Redis5 } from 'ioredis5'
import { type Cluster, Redis } from 'ioredis6'
import { createClient as createClient5 } from 'redis5'
import { createClient } from 'redis6'
import { testIncludes } from './test-lua.generated.ts'

const { time = '', expiry = '' } = testIncludes

export type ServerClientName = 'ioredis 5' | 'ioredis 6' | 'node-redis 5' | 'node-redis 6'

/** An application's own client, what Sluice makes of it, and how to end it. */
export interface Connected {
  readonly client: IoredisLike | NodeRedisLike
  readonly connection: Connection
  end(): void
}

export interface VirtualTime {
  /** Keys expire in virtual time too; false: as on a server whose clock steps back. @default true */
  readonly expires?: boolean
  /** @default 0 */
  readonly deadlineUs?: number
}

/**
 * The scripts of the Redis store on a real server, in virtual time: only the pieces that read TIME and give lives are others.
 */
export async function redisUnderTest(
  socket: string,
  { client = 'ioredis 6', ...options }: VirtualTime & { readonly client?: ServerClientName } = {},
): Promise<StoreUnderTest> {
  const hands = { client: new Redis({ path: socket }), tags: [''] }
  return inVirtualTime(await connectTo(client, socket), hands, options)
}

/** The store over a connection; the test's own hands write the instant for each server, under a tag of its own. */
export async function inVirtualTime(
  { connection, end }: Connected,
  hands: { readonly client: Redis | Cluster; readonly tags: readonly string[] },
  { expires = true, deadlineUs = 0 }: VirtualTime,
): Promise<StoreUnderTest> {
  const { client, tags } = hands
  const store = new RedisStore({ connection, prefix: '', deadlineUs, includes: { time, expiry } })
  let nowUs = baseUs
  const everywhere = (name: string, value: string | number) =>
    Promise.all(tags.map((tag) => client.set(name + tag, value)))
  const setClock = async (us: number) => {
    nowUs = us
    await everywhere('test:now_us', us)
  }
  await everywhere('test:expires', expires ? 'yes' : 'no')
  await setClock(baseUs)
  return {
    store,
    setClock,
    async lifeUs(check) {
      const [exists, goneUs] = await Promise.all([
        client.exists(nameOf(check)),
        client.get(`test:gone_us:${nameOf(check)}`),
      ])
      const leftUs = Number(goneUs) - nowUs
      return exists === 1 && leftUs > 0 ? leftUs : null
    },
    async stored(check) {
      // A dead key may have been put out of sight: it is stored all the same.
      const dump =
        (await client.dumpBuffer(nameOf(check))) ?? (await client.dumpBuffer(`test:hidden:${nameOf(check)}`))
      return dump?.toString('hex') ?? null
    },
    async close() {
      await store.close()
      end()
      client.disconnect()
    },
  }
}

type NodeRedisClient = NodeRedisLike & { connect(): Promise<unknown>; destroy(): void }

export function overIoredis(client: IoredisLike & { disconnect(): void }): Connected {
  return { client, connection: fromIoredis(client), end: () => client.disconnect() }
}

export async function overNodeRedis(client: NodeRedisClient): Promise<Connected> {
  await client.connect()
  return { client, connection: fromNodeRedis(client), end: () => client.destroy() }
}

/** A client of one server, as an application makes it. */
export async function connectTo(client: ServerClientName, socket: string): Promise<Connected> {
  switch (client) {
    case 'ioredis 5':
      return overIoredis(new Redis5({ path: socket }))
    case 'ioredis 6':
      return overIoredis(new Redis({ path: socket }))
    case 'node-redis 5':
      return overNodeRedis(createClient5({ socket: { path: socket, tls: false } }))
    case 'node-redis 6':
      return overNodeRedis(createClient({ socket: { path: socket, tls: false } }))
  }
}

/** The key of a check's state on a Redis server. */
function nameOf({ id, key }: Check): string {
  return `sl1:{${key}}:${id}`
}
