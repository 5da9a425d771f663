import {
  attributedWindow,
  fixedWindow,
  gcra,
  leakyBucket,
  multiWindow,
  type Policy,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '../src/index.ts'

/** A policy of each strategy that lets two in at once (uniform: one) and the next after an hour at most. */
export const hourly: readonly Policy<'refund' | 'penalize'>[] = [
  uniform({ interval: '1h' }),
  slidingWindowLog({ limit: 2, window: '1h' }),
  fixedWindow({ limit: 2, window: '1h' }),
  attributedWindow({ limit: 2, window: '1h' }),
  multiWindow({ limits: [{ limit: 2, window: '1h' }] }),
  slidingWindowCounter({ limit: 2, window: '1h' }),
  gcra({ count: 2, period: '2h' }),
  tokenBucket({ capacity: 2, count: 1, period: '1h' }),
  leakyBucket({ capacity: 2, count: 1, period: '1h' }),
]
