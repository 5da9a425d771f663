/** The libraries whose tests are run: each has a file here. */
export const peers = ['express-rate-limit', 'fastify-rate-limit', 'koa-ratelimit', 'rate-limiter-flexible']
