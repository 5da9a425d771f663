import { createRequire } from 'node:module'
import Fastify, { type FastifyPluginAsync } from 'fastify'
import type { Redis } from 'ioredis'
import { type MakeAsker, type Place, wideLimit, windowMs } from '../asking/work.ts'

interface Options {
  readonly max: number
  readonly timeWindow: number
  /** How many keys memory holds. */
  readonly cache: number
  readonly redis?: Redis
  readonly keyGenerator?: (request: LeastRequest) => string
}

/** What its check reads of a request. */
interface LeastRequest {
  readonly id: string
  readonly routeOptions: object
}

interface Decorated {
  createRateLimit(): (request: LeastRequest) => Promise<{ isAllowed: boolean; isExceeded?: boolean }>
}

/** Its option for the place of counts. */
export function redisOf(place: Place): Pick<Options, 'redis'> {
  if (place.kind === 'node-redis') throw new Error('@fastify/rate-limit needs ioredis.')
  return place.kind === 'memory' ? {} : { redis: place.client }
}

const require = createRequire(import.meta.url)
// Its types and those of @sluice/fastify give the same property of a route another type each.
export const fastifyRateLimit = require('@fastify/rate-limit') as FastifyPluginAsync<Options>

/** By the function of its `createRateLimit`: what its hook asks, without the fields. */
export const askFastifyRateLimit: MakeAsker = async (place, work) => {
  const { strategy, policies = 1, refused = false, keys } = work
  if (strategy !== 'counter' || policies > 1 || place.kind === 'node-redis') return undefined
  const app = Fastify()
  const options = {
    max: refused ? 1 : wideLimit,
    timeWindow: windowMs,
    cache: Math.max(5000, 2 * keys),
    keyGenerator: (request: LeastRequest) => request.id,
  }
  await app.register(fastifyRateLimit, { ...options, ...redisOf(place) })
  await app.ready()
  const check = (app as unknown as Decorated).createRateLimit() // by the plugin
  const routeOptions = {}
  return {
    ask: (key) => check({ id: key, routeOptions }),
    isRight(answer) {
      const { isExceeded } = answer as Awaited<ReturnType<typeof check>> // what it resolves to
      return isExceeded === refused
    },
  }
}
