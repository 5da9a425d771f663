export function rateLimit(): string {
  return 'koa-ratelimit'
}

export default rateLimit
