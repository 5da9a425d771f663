import { createServer, type Server } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import Router from '@koa/router'
import { advised, type Exchange, limitersBy, listening, type Start } from '@sluice/conformance/adapter'
import type Koa from 'koa'
import { rateLimit } from '../src/index.ts'

function exchangeOf(ctx: Koa.Context): Exchange {
  return {
    request: ctx,
    raw: ctx.res,
    decision: ctx.state.rateLimit,
    set: (name, value) => ctx.set(name, value),
    takeOver: () => {
      ctx.respond = false
    },
    send: (status, body = '') => {
      ctx.status = status
      ctx.body = body
    },
  }
}

/** Builds sites on one major of Koa. */
export function startOn(Application: typeof Koa): Start {
  return async function start({ first, limits, routes, onError, trust, http2, listen }) {
    const app = new Application()
    const router = new Router()
    const { handles, limiterOf } = limitersBy((options) => rateLimit<string>(options))
    app.silent = true
    app.proxy = trust === 'one' || trust === 'all'
    app.maxIpsCount = trust === 'one' ? 1 : 0
    advised(trust, 'Koa', { app })
    app.use(async (ctx, next) => {
      try {
        await next()
      } catch (error) {
        if (onError === undefined) throw error
        onError(error, exchangeOf(ctx))
      }
    })
    app.use(async (ctx, next) => {
      await first?.(exchangeOf(ctx))
      await next()
    })
    for (const options of limits) app.use(limiterOf(options))
    for (const { path, limits: own, handler } of routes) {
      router.all(path, ...own.map(limiterOf), async (ctx) => {
        await handler(exchangeOf(ctx))
      })
    }
    app.use(router.routes())
    const server = http2 ? createHttp2Server(app.callback()) : createServer(app.callback())
    return { ...(await listening(server as Server, listen)), handles }
  }
}
