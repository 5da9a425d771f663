import { AnsweringServer, connectGlide, connectInBytes, type Reply, RestFront } from '@sluice/faults'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import type { RedisClient } from '../../src/index.ts'

export type { Reply }

/** Who asks, as its owner makes it. */
export interface Asker {
  readonly redis: RedisClient
  end(): void | Promise<void>
}

/** By each kind of client, and by some that show numbers as texts, and texts as bytes. */
export const askers: Readonly<Record<string, (url: string) => Promise<Asker>>> = {
  'a URL': async (url) => ({ redis: url, end: () => {} }),
  ioredis: async (url) => overIoredis(new Redis(url)),
  'ioredis with stringNumbers': async (url) => overIoredis(new Redis(url, { stringNumbers: true })),
  'node-redis, RESP2': async (url) => overNodeRedis(createClient({ url, RESP: 2 })),
  'node-redis, RESP3': async (url) => overNodeRedis(createClient({ url, RESP: 3 })),
  'node-redis 5 that answers bytes': async (url) => {
    const { client, end } = await connectInBytes(url)
    return { redis: client, end }
  },
  'Valkey GLIDE': async (url) => {
    const { client, end } = await connectGlide(Number(new URL(url).port))
    return { redis: client, end }
  },
  REST: async (url) => overRest(new RestFront(Number(new URL(url).port))),
}

async function overRest(front: RestFront): Promise<Asker> {
  await front.start()
  return { redis: { url: front.url, token: front.token }, end: () => front.end() }
}

function overIoredis(client: Redis): Asker {
  return { redis: client, end: () => client.disconnect() }
}

async function overNodeRedis<
  Client extends { on(event: 'error', listener: () => void): unknown; connect(): unknown; destroy(): void },
>(client: Client & RedisClient): Promise<Asker> {
  client.on('error', () => {})
  await client.connect()
  return { redis: client, end: () => client.destroy() }
}

/** A server whose scripts answer this, whatever they are asked; its clock goes right. */
export async function answering(reply: (words: readonly string[]) => Reply): Promise<AnsweringServer> {
  const server = new AnsweringServer((words) => {
    if (words[0]?.toUpperCase() !== 'TIME') return reply(words)
    return [String(Math.floor(Date.now() / 1000)), '0']
  })
  await server.start()
  return server
}
