export function rateLimit(): string {
  return 'fastify-rate-limit'
}

export default rateLimit
