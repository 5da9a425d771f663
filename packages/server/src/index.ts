export type { ListenOptions, ServeOptions } from './options.ts'
export type { TlsOptions } from './secrets/tls.ts'
export { type LimitsServer, serveLimits } from './serve-limits.ts'
