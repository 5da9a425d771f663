import { checkNames, optionError, wholeNumber } from '@sluice/core/internal'
import { type Asked, readAsked } from './limiter-like.ts'
import { pause } from './pause.ts'
import { RateLimiterQueueError } from './rate-limiter-queue-error.ts'
import type { RateLimiterRes } from './rate-limiter-res.ts'
import type { RateLimiterKey } from './verbs.ts'

export interface IRateLimiterQueueOpts {
  /** Callers that wait for one key at most. @default 4294967295 */
  maxQueueSize?: number | undefined
}

interface Waiting {
  readonly tokens: number
  /** Milliseconds since 1970; Infinity: it waits as long as it takes. */
  readonly expiresMs: number
  resolve(remaining: number): void
  reject(reason: unknown): void
}

/** Lets callers of this process wait until a limiter has points for them: first come, first served, each key by itself. */
export class RateLimiterQueue {
  readonly #limiter: Asked
  readonly #most: number
  /** Whether there has ever been a caller whose time to wait ends. */
  #expires = false
  /** The callers that wait, by key. */
  readonly #lines = new Map<RateLimiterKey, Waiting[]>()

  constructor(limiterFlexible: Asked, options: IRateLimiterQueueOpts = {}) {
    checkNames(options, '', ['maxQueueSize'])
    const { maxQueueSize = 2 ** 32 - 1 } = options
    this.#limiter = readAsked(limiterFlexible, 'limiterFlexible')
    this.#most =
      maxQueueSize === Number.POSITIVE_INFINITY ? maxQueueSize : wholeNumber(maxQueueSize, 'maxQueueSize', 0)
  }

  /** The tokens that are left; all of a duration where the store does not answer. */
  async getTokensRemaining(key: RateLimiterKey = 'limiter'): Promise<number | undefined> {
    const known = await this.#limiter.get(key).catch(() => null)
    return known?.remainingPoints ?? this.#limiter.points
  }

  /**
   * Resolves with the tokens that are left, once there are as many as it takes. A caller that still waits at `expiresUnixAt`, in seconds
   * since 1970, is rejected when the next turn comes; 0: never.
   */
  async removeTokens(tokens: number, key: RateLimiterKey = 'limiter', expiresUnixAt = 0): Promise<number> {
    const { points } = this.#limiter
    if (points !== undefined && tokens > points) {
      throw new RateLimiterQueueError(`${tokens} tokens are more than the ${points} of a duration`)
    }
    const asked = { tokens, expiresMs: readExpiry(expiresUnixAt) }
    this.#expires ||= expiresUnixAt > 0
    if (this.#lines.has(key)) return this.#wait(asked, key, 0)
    try {
      return (await this.#limiter.consume(key, tokens)).remainingPoints
    } catch (reason) {
      return this.#wait(asked, key, pauseAfter(reason))
    }
  }

  #wait(asked: Pick<Waiting, 'tokens' | 'expiresMs'>, key: RateLimiterKey, ms: number): Promise<number> {
    const line = this.#lines.get(key)
    if ((line?.length ?? 0) >= this.#most) {
      throw new RateLimiterQueueError(`its maximum ${this.#most} of callers (maxQueueSize) wait already`)
    }
    return new Promise((resolve, reject) => {
      const waiting = { ...asked, resolve, reject }
      if (line === undefined) void this.#serve(key, [waiting], ms)
      else line.push(waiting)
    })
  }

  /** Serves a key's callers one after the other; never rejects. */
  async #serve(key: RateLimiterKey, line: Waiting[], ms: number): Promise<void> {
    this.#lines.set(key, line)
    await pause(ms)
    for (let first = this.#firstIn(line); first !== undefined; first = this.#firstIn(line)) {
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

  /** Rejects the callers whose time is over, and answers the one whose turn it is. */
  #firstIn(line: Waiting[]): Waiting | undefined {
    if (!this.#expires) return line[0]
    const nowMs = Date.now()
    let left = 0
    for (const waiting of line) {
      if (nowMs < waiting.expiresMs) line[left++] = waiting
      else waiting.reject(new RateLimiterQueueError('its time to wait (expiresUnixAt) is over'))
    }
    line.length = left
    return line[0]
  }
}

/** Throws an OptionError for a time in milliseconds: it would be thousands of years ahead, and so never come. */
function readExpiry(unixSeconds: unknown): number {
  if (unixSeconds === 0) return Number.POSITIVE_INFINITY
  if (typeof unixSeconds === 'number' && unixSeconds > 0 && unixSeconds < 1e11) return unixSeconds * 1000
  throw optionError('expiresUnixAt', 'a time in seconds since 1970, or 0', unixSeconds)
}

/** Waits as long as a refusal says. false: there is nothing to wait for, and the caller was rejected. */
async function pausedAfter(reason: unknown, { reject }: Waiting): Promise<boolean> {
  try {
    await pause(pauseAfter(reason))
    return true
  } catch (error) {
    reject(error)
    return false
  }
}

/** How long to wait after a refusal. Throws a reason that is no refusal, and a RateLimiterQueueError where a refusal never ends. */
function pauseAfter(reason: unknown): number {
  if (reason instanceof Error) throw reason
  const { msBeforeNext } = reason as RateLimiterRes // limiters reject with nothing else
  if (msBeforeNext < 0) throw new RateLimiterQueueError('the key is refused for ever')
  return Math.max(1, msBeforeNext)
}
