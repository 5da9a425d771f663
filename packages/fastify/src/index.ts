export { type RateLimitPluginOptions, type RouteRateLimit, rateLimit } from './rate-limit.ts'
