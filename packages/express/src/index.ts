export type { Handle } from '@sluice/http'
export { rateLimit } from './rate-limit.ts'
