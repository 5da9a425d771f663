import {
  attributedWindow,
  type Duration,
  fixedWindow,
  gcra,
  leakyBucket,
  multiWindow,
  type Policy,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '@sluice/core'

type Strategy =
  | 'attributedWindow'
  | 'fixedWindow'
  | 'gcra'
  | 'leakyBucket'
  | 'multiWindow'
  | 'slidingWindowCounter'
  | 'slidingWindowLog'
  | 'tokenBucket'
  | 'uniform'

/** A policy of every strategy: a fresh key gets so many at once, and as many in every further window (uniform: one). */
export function everyStrategy(
  limit: number,
  window: Duration,
): { readonly [S in Strategy]: Policy<'refund' | 'penalize'> } {
  const bucket = { capacity: limit, count: limit, period: window }
  return {
    attributedWindow: attributedWindow({ limit, window }),
    fixedWindow: fixedWindow({ limit, window }),
    gcra: gcra({ count: limit, period: window }),
    leakyBucket: leakyBucket(bucket),
    multiWindow: multiWindow({ limits: [{ limit, window }] }),
    slidingWindowCounter: slidingWindowCounter({ limit, window }),
    slidingWindowLog: slidingWindowLog({ limit, window }),
    tokenBucket: tokenBucket(bucket),
    uniform: uniform({ interval: window }),
  }
}
