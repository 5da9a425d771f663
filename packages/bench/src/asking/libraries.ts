import type { MakeAsker } from './work.ts'

export type LibraryName =
  | 'Sluice'
  | 'Sluice, CommonJS'
  | 'rate-limiter-flexible'
  | 'rate-limiter-flexible, block cache'
  | 'express-rate-limit'
  | '@fastify/rate-limit'
  | 'koa-ratelimit'
  | '@upstash/ratelimit'

/** A process loads no library but its own. */
export const libraries: { readonly [N in LibraryName]: () => Promise<MakeAsker> } = {
  Sluice: async () => (await import('./sluice.ts')).askSluice('esm'),
  'Sluice, CommonJS': async () => (await import('./sluice.ts')).askSluice('cjs'),
  'rate-limiter-flexible': async () => (await import('../others/rate-limiter-flexible.ts')).askFlexible(),
  'rate-limiter-flexible, block cache': async () =>
    (await import('../others/rate-limiter-flexible.ts')).askFlexible({ blockCache: true }),
  'express-rate-limit': async () => (await import('../others/express-rate-limit.ts')).askExpressRateLimit,
  '@fastify/rate-limit': async () => (await import('../others/fastify-rate-limit.ts')).askFastifyRateLimit,
  'koa-ratelimit': async () => (await import('../others/koa-ratelimit.ts')).askKoaRatelimit,
  '@upstash/ratelimit': async () => (await import('../others/upstash-ratelimit.ts')).askUpstash,
}
