import { createHash } from 'node:crypto'
import { Ratelimit } from '@upstash/ratelimit'
import type { Redis as UpstashRedis } from '@upstash/redis'
import type { Redis } from 'ioredis'
import { type MakeAsker, wideLimit, windowMs } from '../asking/work.ts'

type Values = readonly (string | number | null)[]

/** A flag of Upstash's own servers: others refuse a script that begins with it. */
const ownFlag = /^#!lua flags=allow-key-locking\n/

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}

/** What the library calls of its own client, over ioredis in place of HTTP. */
export class OverIoredis {
  readonly #client: Redis
  /** The library hashes the text with the flag; the server knows it without. */
  readonly #known = new Map<string, string>()

  constructor(client: Redis) {
    this.#client = client
  }

  async evalsha(sha: string, keys: readonly string[], args: Values): Promise<unknown> {
    const known = this.#known.get(sha)
    if (known === undefined) throw new Error('NOSCRIPT')
    return this.#client.evalsha(known, keys.length, ...keys, ...args.map(String))
  }

  async eval(text: string, keys: readonly string[], args: Values): Promise<unknown> {
    const plain = text.replace(ownFlag, '')
    this.#known.set(sha1(text), sha1(plain))
    return this.#client.eval(plain, keys.length, ...keys, ...args.map(String))
  }
}

/** Its cache of refused identifiers is on, as it is by default. */
export const askUpstash: MakeAsker = async (place, { strategy, policies = 1, refused = false }) => {
  if (place.kind !== 'ioredis' || policies > 1) return undefined
  const limit = refused ? 1 : wideLimit
  const window = `${windowMs} ms` as const
  const limiter = new Ratelimit({
    redis: new OverIoredis(place.client) as unknown as UpstashRedis, // the two that checks call
    limiter:
      strategy === 'counter'
        ? Ratelimit.fixedWindow(limit, window)
        : Ratelimit.tokenBucket(limit, window, limit),
    prefix: strategy,
    analytics: false,
  })
  return {
    ask: (key) => limiter.limit(key),
    isRight(answer) {
      const { success } = answer as Awaited<ReturnType<typeof limiter.limit>> // what limit resolves to
      return success !== refused
    },
  }
}
