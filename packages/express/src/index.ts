export type { Handle, RateLimitOptions } from '@sluice/http'
export { rateLimit } from './rate-limit.ts'
