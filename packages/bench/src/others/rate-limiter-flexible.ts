import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, RateLimiterUnion } from 'rate-limiter-flexible'
import { type MakeAsker, type Place, type Work, wideLimit, windowMs } from '../asking/work.ts'

/** Refusals of the block cache never reach Redis. @default false */
export interface Flexible {
  readonly blockCache?: boolean
}

export function flexibleAt(
  place: Place,
  { points, keyPrefix, blockCache = false }: Flexible & { points: number; keyPrefix: string },
): RateLimiterMemory | RateLimiterRedis {
  const options = { points, duration: windowMs / 1000, keyPrefix }
  if (place.kind === 'memory') return new RateLimiterMemory(options)
  return new RateLimiterRedis({
    ...options,
    storeClient: place.client,
    useRedisPackage: place.kind === 'node-redis',
    ...(blockCache ? { inMemoryBlockOnConsumed: points } : {}),
  })
}

function made(place: Place, { policies = 1, refused = false }: Work, about: Flexible) {
  const limiters = Array.from({ length: policies }, (_, i) => {
    return flexibleAt(place, { points: refused ? 1 : wideLimit - i, keyPrefix: `rlflx${i}`, ...about })
  })
  const [first] = limiters
  return policies === 1 ? first : new RateLimiterUnion(...limiters)
}

export function askFlexible(about: Flexible = {}): MakeAsker {
  return async (place, work) => {
    const { strategy, refused = false } = work
    // A block cache stands before Redis alone.
    const fits = strategy === 'counter' && !(about.blockCache === true && place.kind === 'memory')
    const limiter = fits ? made(place, work, about) : undefined
    if (limiter === undefined) return undefined
    return {
      ask: (key) => limiter.consume(key),
      // A refusal is a rejection with the numbers; an error has none.
      isRight: (answer) =>
        !(answer instanceof Error) &&
        (!refused || (answer instanceof RateLimiterRes && answer.remainingPoints === 0)),
    }
  }
}
