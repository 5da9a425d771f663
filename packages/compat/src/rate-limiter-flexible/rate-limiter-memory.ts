import { memoryStore } from '@sluice/core'
import { codedTypeError } from '@sluice/core/internal'
import { CountingLimiter } from './counting-limiter.ts'
import { Counts } from './counts.ts'
import { checkLimiterNames } from './option-names.ts'
import type { IRateLimiterOptions } from './options.ts'

/** Counts in this process, at most 100,000 keys: beyond that, keys that have points left are dropped. */
export class RateLimiterMemory extends CountingLimiter {
  constructor(options: IRateLimiterOptions) {
    super(options, new Counts(memoryStore()))
    checkLimiterNames(options)
  }

  /** Not offered. */
  dump(): never {
    throw notOffered('dump')
  }

  /** Not offered. */
  restore(): never {
    throw notOffered('restore')
  }
}

function notOffered(method: string): TypeError {
  return codedTypeError(
    `RateLimiterMemory.${method}: counts that outlive a process are kept by RateLimiterRedis (https://github.com/sluicejs/sluice/blob/main/docs/moving/rate-limiter-flexible.md#what-is-not-offered)`,
    { code: 'SLUICE_UNSUPPORTED' },
  )
}
