import { createRequire } from 'node:module'
import type { Redis } from 'ioredis'
import type { Context, Next } from 'koa'
import { type MakeAsker, type Place, wideLimit, windowMs } from '../asking/work.ts'

interface Options {
  readonly driver: 'redis' | 'memory'
  readonly db: Redis | Map<string, unknown>
  readonly duration: number
  readonly max: number
  readonly id?: (ctx: Context) => string
}

const require = createRequire(import.meta.url)
// It brings no types.
export const ratelimit = require('koa-ratelimit') as (
  options: Options,
) => (ctx: Context, next: Next) => Promise<unknown>

/** What the middleware touches of Koa's context. */
class LeastContext {
  readonly state = {}
  readonly key: string
  status = 200
  body: unknown

  constructor(key: string) {
    this.key = key
  }

  set(): void {}
}

export function koaPlace(place: Place): Pick<Options, 'driver' | 'db'> {
  if (place.kind === 'memory') return { driver: 'memory', db: new Map() }
  if (place.kind === 'node-redis') throw new Error('koa-ratelimit needs ioredis.')
  return { driver: 'redis', db: place.client }
}

const admitted = async () => true

/** Its middleware on the least context: it has no other way to ask. In Redis it keeps a log, one entry for each request. */
export const askKoaRatelimit: MakeAsker = async (place, { strategy, policies = 1, refused = false }) => {
  if (strategy !== 'counter' || policies > 1 || place.kind === 'node-redis') return undefined
  const options = { duration: windowMs, max: refused ? 1 : wideLimit, id: ({ key }: Context) => String(key) }
  const middleware = ratelimit({ ...koaPlace(place), ...options })
  return {
    // All that it reads of a context.
    ask: (key) => middleware(new LeastContext(key) as unknown as Context, admitted),
    isRight: (answer) => answer === (refused ? undefined : true),
  }
}
