export type { Handle, RateLimitOptions } from '@sluice/http'
export { type RateLimitState, rateLimit } from './rate-limit.ts'
