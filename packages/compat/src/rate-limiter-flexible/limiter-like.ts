import { codedError, optionError } from '@sluice/core/internal'
import { RateLimiterAbstract } from './rate-limiter-abstract.ts'
import type { RateLimiterRes } from './rate-limiter-res.ts'
import type { CallOptions, RateLimiterKey, RateLimiterLike, Verbs } from './verbs.ts'

class Missing {
  get keyPrefix(): string {
    throw missing('keyPrefix')
  }

  get blockDuration(): number {
    throw missing('blockDuration')
  }

  set blockDuration(_seconds: number) {
    throw missing('blockDuration')
  }

  get execEvenly(): boolean {
    throw missing('execEvenly')
  }

  set execEvenly(_evenly: boolean) {
    throw missing('execEvenly')
  }
}

/** By an interface, so that a class may define them as fields or as accessors: the compiler takes only accessors over accessors. */
const Settings: new () => Pick<RateLimiterLike, 'keyPrefix' | 'blockDuration' | 'execEvenly'> = Missing

/** For wrappers of your own: what they leave out rejects or throws. */
export class RateLimiterCompatibleAbstract extends Settings implements RateLimiterLike {
  async consume(_key: RateLimiterKey, _points?: number, _options?: CallOptions): Promise<RateLimiterRes> {
    throw missing('consume')
  }

  async penalty(_key: RateLimiterKey, _points?: number, _options?: CallOptions): Promise<RateLimiterRes> {
    throw missing('penalty')
  }

  async reward(_key: RateLimiterKey, _points?: number, _options?: CallOptions): Promise<RateLimiterRes> {
    throw missing('reward')
  }

  async get(_key: RateLimiterKey, _options?: CallOptions): Promise<RateLimiterRes | null> {
    throw missing('get')
  }

  async set(_key: RateLimiterKey, _points: number, _seconds?: number): Promise<RateLimiterRes> {
    throw missing('set')
  }

  async block(_key: RateLimiterKey, _seconds: number, _options?: CallOptions): Promise<RateLimiterRes> {
    throw missing('block')
  }

  async delete(_key: RateLimiterKey, _options?: CallOptions): Promise<boolean> {
    throw missing('delete')
  }
}

function missing(member: string): Error {
  return codedError(`RateLimiterCompatibleAbstract: your class defines no ${member}`, {
    code: 'SLUICE_UNSUPPORTED',
  })
}

/** What a burst or a queue asks of a limiter: any of them, `BurstyRateLimiter` too. */
export type Asked = Pick<Verbs, 'consume' | 'get'> & { readonly points?: number | undefined }

/** An OptionError for what cannot be asked. */
export function readAsked(limiter: Asked, path: string): Asked {
  if (typeof limiter?.consume === 'function' && typeof limiter.get === 'function') return limiter
  throw optionError(path, 'a limiter', limiter)
}

const verbs = ['consume', 'penalty', 'reward', 'get', 'set', 'block', 'delete'] as const

/** Whether all verbs may be called; `instanceof` alone would refuse limiters of rate-limiter-flexible itself. */
export function isRateLimiterLike(value: unknown): value is RateLimiterLike {
  if (value instanceof RateLimiterAbstract || value instanceof RateLimiterCompatibleAbstract) return true
  if (typeof value !== 'object' || value === null) return false
  return verbs.every((verb) => typeof Reflect.get(value, verb) === 'function')
}
