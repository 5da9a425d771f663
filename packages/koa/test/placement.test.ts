import { createServer, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it, test } from '@jest/globals'
import Router from '@koa/router'
import {
  answeredSpellings,
  type Client,
  inWorld,
  leftOf,
  rowOf,
  type World,
} from '@sluice/conformance/adapter'
import { fixedWindow } from '@sluice/core'
import Koa3 from 'koa'
import Koa2 from 'koa2'
import { rateLimit } from '../src/index.ts'
import { startOn } from './start.ts'

// To the compiler all are of the newer major: what differs between their types is not used here.
const majors = [
  ['Koa 2', Koa2 as unknown as typeof Koa3],
  ['Koa 3', Koa3],
] as const

const tenIn10s = fixedWindow({ limit: 10, window: '10s' })

const ok: Koa3.Middleware = (ctx) => {
  ctx.body = String(ctx.state.rateLimit?.limiter)
}

function listen(world: World, app: Koa3): Promise<Client> {
  app.silent = true
  return world.listen(createServer(app.callback()))
}

describe.each(majors)('48: %s', (_, Koa) => {
  function scenario(title: string, run: (world: World) => Promise<void>): void {
    it(title, () => inWorld(startOn(Koa), run))
  }

  function ten(world: World, more: Parameters<World['tickets']>[0] = {}) {
    return rateLimit<string>(world.tickets({ policy: tenIn10s, ...more }))
  }

  scenario('before a router: every request; no pattern is known yet', async (world) => {
    const routes: unknown[] = []
    const app = new Koa()
    const router = new Router()
    router.get('/zoo/:animal', ok)
    app.use(ten(world, { key: (_ctx: object, view) => void routes.push(view.route) }))
    app.use(router.routes())
    const client = await listen(world, app)
    expect(await leftOf(client, ['/zoo/tigers', '/nowhere'])).toEqual(['9', '8'])
    expect(routes).toEqual([undefined, undefined])
  })

  scenario('on a router: its routes only', async (world) => {
    const app = new Koa()
    const zoo = new Router({ prefix: '/zoo' })
    zoo.use(ten(world))
    zoo.get('/:animal', ok)
    const park = new Router()
    park.get('/park', ok)
    app.use(zoo.routes()).use(park.routes())
    const client = await listen(world, app)
    expect(await leftOf(client, ['/zoo/tigers', '/park', '/zoo/nothing/here', '/zoo/lions'])).toEqual([
      '9',
      undefined,
      undefined,
      '8',
    ])
  })

  scenario('on a path of a router: no spelling leads past it to a route below', async (world) => {
    const app = new Koa()
    const router = new Router()
    router.use('/zoo', ten(world, { policy: fixedWindow({ limit: 100, window: '10s' }) }))
    router.get('/zoo/:animal', ok)
    app.use(router.routes())
    const answered = await answeredSpellings(await listen(world, app))
    expect(answered).toContainEqual(['/ZOO/TIGERS', true])
    expect(answered.filter(([, counted]) => !counted)).toEqual([])
  })

  scenario('on one route, with the pattern that has matched', async (world) => {
    const app = new Koa()
    const zoo = new Router({ prefix: '/zoo' })
    const limit = ten(world, { key: (_ctx: object, view) => view.route })
    zoo.get('/:animal', limit, ok)
    zoo.get('/:animal/food', limit, ok)
    app.use(zoo.routes())
    const client = await listen(world, app)
    expect(await leftOf(client, ['/zoo/tigers', '/zoo/lions', '/zoo/lions/food'])).toEqual(['9', '8', '9'])
    const counts = limit.limiter
    expect((await counts.peek('/zoo/:animal')).remaining).toBe(8)
  })

  scenario('composed twice: counted once, and refused', async (world) => {
    const app = new Koa()
    const limit = rateLimit<string>(world.tickets())
    const router = new Router()
    router.get('/', limit, ok)
    app.use(limit).use(router.routes())
    const client = await listen(world, app)
    const replies = [
      await client.send({ path: '/' }),
      await client.send({ path: '/' }),
      await client.send({ path: '/' }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(replies.map(({ body }) => body).slice(0, 2)).toEqual(['tickets', 'tickets'])
  })

  scenario('a middleware ahead may answer instead of the refusal', async (world) => {
    const app = new Koa()
    app.use(async (ctx, next) => {
      try {
        await next()
      } catch {
        ctx.status = 418
        ctx.body = 'mine'
      }
    })
    app.use(rateLimit<string>(world.tickets({ refuseBy: 'error' })))
    app.use(ok)
    const client = await listen(world, app)
    await client.crowd(2, { path: '/' })
    const reply = await client.send({ path: '/' })
    expect([reply.body, ...rowOf(reply)]).toEqual(['mine', 418, '2', '0', '10', '10'])
  })

  scenario("the application's error event gets what was thrown", async (world) => {
    const errors: unknown[] = []
    const app = new Koa()
    app.on('error', (error: unknown) => errors.push(error))
    app.use(rateLimit<string>(world.tickets({ refuseBy: 'error' })))
    app.use(ok)
    const client = await listen(world, app)
    await client.crowd(2, { path: '/' })
    expect(rowOf(await client.send({ path: '/' }))).toEqual([429, '2', '0', '10', '10'])
    expect(errors.map((error) => (error as { code?: string }).code)).toEqual(['SLUICE_REFUSED'])
  })
})

test.each([
  ['Fastify', {}],
  ['Express', { app: {}, req: new IncomingMessage(new Socket()) }],
])('in an application of %s its error says what to install', async (_name, parts) => {
  const limit = rateLimit({ policy: fixedWindow({ limit: 1, window: '1m' }) })
  const itsRequest = Object.assign(new IncomingMessage(new Socket()), parts)
  await expect(limit(itsRequest as never, (() => {}) as never)).rejects.toThrow(
    'ctx: expected a context of Koa: other frameworks have packages of their own, got an object (IncomingMessage)',
  )
})
