export type { HeaderNameOptions, MiddlewareOptions } from './options.ts'
export { ratelimit, ratelimit as default } from './ratelimit.ts'
