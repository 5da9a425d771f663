// A service as it was written for koa-ratelimit: only this import has changed.
import ratelimit from '@sluice/compat/koa-ratelimit'
import Koa from 'koa'

/** Notes by user, and a login that is limited by address and more tightly. */
export function notes(): Koa {
  const db = new Map()
  const saved = new Map<string, string[]>()
  const app = new Koa({ proxy: true, maxIpsCount: 1 })
  app.use(async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { status = 500, message, headers = {} } = error as InstanceType<typeof Koa.HttpError>
      ctx.status = status
      ctx.set(headers)
      ctx.body = { error: message }
    }
  })
  const login = ratelimit({
    driver: 'memory',
    db,
    namespace: 'login',
    max: 3,
    duration: 15 * 60 * 1000,
    errorMessage: 'Too many attempts.',
    throw: true,
  })
  app.use((ctx, next) => (ctx.path === '/login' ? login(ctx, next) : next()))
  app.use(
    ratelimit({
      driver: 'memory',
      db,
      max: 5,
      duration: 60 * 1000,
      id: (ctx) => ctx.get('X-User') || ctx.ip,
      whitelist: (ctx) => ctx.path === '/health',
      blacklist: (ctx) => ctx.ip === '203.0.113.66',
      headers: { remaining: 'X-Notes-Remaining', reset: 'X-Notes-Reset', total: 'X-Notes-Limit' },
    }),
  )
  app.use((ctx) => {
    const user = ctx.get('X-User')
    if (ctx.path === '/health') ctx.body = 'ok'
    else if (ctx.path === '/login') ctx.throw(401, 'Wrong password.')
    else saved.set(user, [...(saved.get(user) ?? []), ctx.path])
    if (ctx.path.startsWith('/notes')) ctx.body = saved.get(user)
  })
  return app
}
