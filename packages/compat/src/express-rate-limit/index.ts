export type { RateLimitOptions } from './config.ts'
export { ipKeyGenerator } from './ip-key-generator.ts'
export { MemoryStore, type MemoryStoreOptions } from './memory-store.ts'
export { rateLimit, rateLimit as default } from './rate-limit.ts'
export { SluiceStore, type SluiceStoreOptions, type StoreSettings } from './sluice-store.ts'
export { DAY, HOUR, MINUTE, SECOND } from './time-constants.ts'
export type {
  AugmentedRequest,
  Client,
  ClientRateLimitInfo,
  DraftHeadersVersion,
  EnabledValidations,
  IncrementCallback,
  IncrementResponse,
  LegacyStore,
  Logger,
  LoggerFn,
  Options,
  RateLimitExceededEventHandler,
  RateLimitInfo,
  RateLimitReachedEventHandler,
  RateLimitRequestHandler,
  Store,
  ValueDeterminingMiddleware,
} from './types.ts'
