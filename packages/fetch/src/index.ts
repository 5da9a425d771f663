export type { RateLimitOptions } from '@sluice/http'
export { type FetchLimit, rateLimit } from './rate-limit.ts'
export { type AddressOptions, decisionOf, type FetchHandle, fieldsOf } from './request-limit.ts'
