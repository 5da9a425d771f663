export function rateLimit(): string {
  return 'express-rate-limit'
}

export default rateLimit
