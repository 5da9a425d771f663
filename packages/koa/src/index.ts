export type { Handle } from '@sluice/http'
export { type RateLimitState, rateLimit } from './rate-limit.ts'
