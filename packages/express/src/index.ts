export { rateLimit } from './rate-limit.ts'
