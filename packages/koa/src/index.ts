export { type RateLimitState, rateLimit } from './rate-limit.ts'
