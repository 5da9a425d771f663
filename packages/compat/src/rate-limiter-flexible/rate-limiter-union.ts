import { optionError } from '@sluice/core/internal'
import { isRateLimiterLike } from './limiter-like.ts'
import type { RateLimiterRes } from './rate-limiter-res.ts'
import type { RateLimiterKey, RateLimiterLike } from './verbs.ts'

/** The answers of limiters, by their `keyPrefix`. */
export type UnionRes = Record<string, RateLimiterRes>

/** Consumes from several limiters, from each whatever the others say. */
export class RateLimiterUnion {
  readonly #limiters: readonly RateLimiterLike[]

  constructor(...limiters: RateLimiterLike[]) {
    if (limiters.length === 0) throw optionError('limiters', 'at least one limiter', undefined)
    for (const [i, limiter] of limiters.entries()) {
      if (!isRateLimiterLike(limiter)) throw optionError(`limiters[${i}]`, 'a limiter', limiter)
    }
    this.#limiters = limiters
  }

  /** Where limiters refuse, or their stores do not answer, this rejects with the answers and errors of those limiters. */
  async consume(key: RateLimiterKey, points = 1): Promise<UnionRes> {
    const answers = await Promise.allSettled(this.#limiters.map(async (each) => each.consume(key, points)))
    const allowed: UnionRes = {}
    const refused: { [keyPrefix: string]: unknown } = {}
    for (const [i, answer] of answers.entries()) {
      const name = this.#limiters[i]?.keyPrefix ?? ''
      if (answer.status === 'fulfilled') allowed[name] = answer.value
      else refused[name] = answer.reason
    }
    if (Object.keys(refused).length > 0) throw refused
    return allowed
  }
}
