import { pause } from './pause.ts'
import { RateLimiterQueueError } from './rate-limiter-queue-error.ts'
import type { RateLimiterRes } from './rate-limiter-res.ts'
import type { RateLimiterKey, Verbs } from './verbs.ts'

/** What is asked of a limiter: any of them, `BurstyRateLimiter` too. */
type Asked = Pick<Verbs, 'consume' | 'get'> & { readonly points?: number | undefined }

export interface IRateLimiterQueueOpts {
  /** Callers that wait for one key at most. @default 4294967295 */
  maxQueueSize?: number | undefined
}

interface Waiting {
  readonly tokens: number
  resolve(remaining: number): void
  reject(reason: unknown): void
}

/** Lets callers of this process wait until a limiter has points for them: first come, first served, each key by itself. */
export class RateLimiterQueue {
  readonly #limiter: Asked
  readonly #most: number
  /** Of keys for which somebody waits. */
  readonly #lines = new Map<RateLimiterKey, Waiting[]>()

  constructor(limiterFlexible: Asked, { maxQueueSize = 2 ** 32 - 1 }: IRateLimiterQueueOpts = {}) {
    this.#limiter = limiterFlexible
    this.#most = maxQueueSize
  }

  async getTokensRemaining(key: RateLimiterKey = 'limiter'): Promise<number | undefined> {
    return (await this.#limiter.get(key))?.remainingPoints ?? this.#limiter.points
  }

  /** Resolves with the tokens that are left, once there are as many as it takes. */
  async removeTokens(tokens: number, key: RateLimiterKey = 'limiter'): Promise<number> {
    const { points } = this.#limiter
    if (points !== undefined && tokens > points) {
      throw new RateLimiterQueueError(`${tokens} tokens are more than the ${points} of a duration`)
    }
    if (this.#lines.has(key)) return this.#wait(tokens, key, 0)
    try {
      return (await this.#limiter.consume(key, tokens)).remainingPoints
    } catch (reason) {
      return this.#wait(tokens, key, pauseAfter(reason))
    }
  }

  #wait(tokens: number, key: RateLimiterKey, ms: number): Promise<number> {
    const line = this.#lines.get(key)
    if ((line?.length ?? 0) >= this.#most) {
      throw new RateLimiterQueueError(`its maximum ${this.#most} of callers (maxQueueSize) wait already`)
    }
    return new Promise((resolve, reject) => {
      const waiting = { tokens, resolve, reject }
      if (line === undefined) void this.#serve(key, [waiting], ms)
      else line.push(waiting)
    })
  }

  /** One after the other; never rejects. */
  async #serve(key: RateLimiterKey, line: Waiting[], ms: number): Promise<void> {
    this.#lines.set(key, line)
    await pause(ms)
    for (let first = line[0]; first !== undefined; first = line[0]) {
      try {
        const { remainingPoints } = await this.#limiter.consume(key, first.tokens)
        first.resolve(remainingPoints)
      } catch (reason) {
        if (await pausedAfter(reason, first)) continue
      }
      line.shift()
    }
    this.#lines.delete(key)
  }
}

/** false: there is nothing to wait for; the caller has had its answer. */
async function pausedAfter(reason: unknown, { reject }: Waiting): Promise<boolean> {
  try {
    await pause(pauseAfter(reason))
    return true
  } catch (error) {
    reject(error)
    return false
  }
}

/** Throws what is no refusal, and where a refusal never ends. */
function pauseAfter(reason: unknown): number {
  if (reason instanceof Error) throw reason
  const { msBeforeNext } = reason as RateLimiterRes // limiters reject with nothing else
  if (msBeforeNext < 0) throw new RateLimiterQueueError('the key is refused for ever')
  return Math.max(1, msBeforeNext)
}
