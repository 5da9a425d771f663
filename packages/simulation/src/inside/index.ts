// What each simulated process loads: the shipped code, from its sources. Only `load.ts` makes instances of it.
export {
  attributedWindow,
  concurrency,
  createLimiter,
  fairShare,
  fixedWindow,
  gcra,
  guardedStore,
  isRefusedError,
  leakyBucket,
  multiWindow,
  notApplicable,
  reservable,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '@sluice/core'
export { decisions, definitions, inRedis, MemoryStore, monotonicClock, partsOf } from '@sluice/core/internal'
export { operations } from '@sluice/operations'
export { listQueue, processor, streamQueue } from '@sluice/queue'
