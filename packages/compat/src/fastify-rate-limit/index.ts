export { normalizeIP } from './address.ts'
export { fastifyRateLimit, fastifyRateLimit as default } from './rate-limit.ts'
export type {
  CreateRateLimitOptions,
  errorResponseBuilderContext,
  FastifyRateLimitOptions,
  FastifyRateLimitStore,
  FastifyRateLimitStoreCtor,
  RateLimitHook,
  RateLimitOptions,
  RateLimitPluginOptions,
  RateLimitResult,
} from './types.ts'
