import { createServer, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it, test } from '@jest/globals'
import {
  aborted,
  answeredSpellings,
  inWorld,
  leftOf,
  rowOf,
  signal,
  twoIn10s,
  type World,
} from '@sluice/conformance/adapter'
import { concurrency, createLimiter, fixedWindow, type RefusedError } from '@sluice/core'
import express5, { type NextFunction, type Request, type Response } from 'express'
import express4 from 'express4'
import { rateLimit } from '../src/index.ts'
import { startOn } from './start.ts'

// To the compiler all are of the newer major: what differs between their types is not used here.
const majors = [
  ['Express 4', express4 as unknown as typeof express5],
  ['Express 5', express5],
] as const

const tenIn10s = fixedWindow({ limit: 10, window: '10s' })

const ok = (_: Request, res: Response) => res.send('ok')

describe.each(majors)('48: %s', (_, express) => {
  function scenario(title: string, run: (world: World) => Promise<void>): void {
    it(title, () => inWorld(startOn(express), run))
  }

  function ten(world: World, more: Parameters<World['tickets']>[0] = {}) {
    return rateLimit<string>(world.tickets({ policy: tenIn10s, ...more }))
  }

  scenario('app.use: every route behind it, none ahead, and what no route answers', async (world) => {
    const app = express()
    app.get('/ahead', ok)
    app.use(ten(world))
    app.get('/behind', ok)
    const client = await world.listen(createServer(app))
    expect(await leftOf(client, ['/ahead', '/behind', '/nowhere'])).toEqual([undefined, '9', '8'])
  })

  scenario('app.use with a path', async (world) => {
    const app = express()
    app.use('/api', ten(world))
    app.get(['/api/tigers', '/tigers'], ok)
    const client = await world.listen(createServer(app))
    expect(await leftOf(client, ['/api/tigers', '/tigers', '/api/nowhere'])).toEqual(['9', undefined, '8'])
  })

  scenario('app.use with a path: no spelling leads past it to a route below', async (world) => {
    const app = express()
    app.use('/zoo', ten(world, { policy: fixedWindow({ limit: 100, window: '10s' }) }))
    app.get('/zoo/:animal', ok)
    const answered = await answeredSpellings(await world.listen(createServer(app)))
    expect(answered).toContainEqual(['/ZOO/TIGERS', true])
    expect(answered.filter(([, counted]) => !counted)).toEqual([])
  })

  scenario('a router: its routes only, mounted twice one count', async (world) => {
    const app = express()
    const router = express.Router()
    router.use(ten(world))
    router.get('/tigers', ok)
    app.use('/zoo', router)
    app.use('/park', router)
    app.get('/tigers', ok)
    const client = await world.listen(createServer(app))
    expect(await leftOf(client, ['/zoo/tigers', '/park/tigers', '/tigers'])).toEqual(['9', '8', undefined])
  })

  scenario('a router that a request meets twice counts it once, and refuses it', async (world) => {
    const app = express()
    const router = express.Router()
    router.use(rateLimit<string>(world.tickets()))
    app.use(router)
    app.use(router)
    app.get('/', ok)
    const client = await world.listen(createServer(app))
    const replies = [
      await client.send({ path: '/' }),
      await client.send({ path: '/' }),
      await client.send({ path: '/' }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429])
  })

  scenario('an error handler that sends a refused request on does not admit it', async (world) => {
    const app = express()
    const limit = rateLimit<string>(world.tickets({ refuseBy: 'error' }))
    app.use(limit)
    app.use((_error: unknown, _req: Request, _res: Response, next: NextFunction) => next())
    app.use(limit)
    app.get('/', ok)
    const client = await world.listen(createServer(app))
    const replies = [
      await client.send({ path: '/' }),
      await client.send({ path: '/' }),
      await client.send({ path: '/' }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429])
  })

  scenario('nor one whose key could not be found', async (world) => {
    const app = express()
    const fail = () => {
      throw new Error('no key')
    }
    const limit = rateLimit<string>(world.tickets({ key: fail }))
    app.use(limit)
    app.use((_error: unknown, _req: Request, _res: Response, next: NextFunction) => next())
    app.use(limit)
    app.get('/', ok)
    const client = await world.listen(createServer(app))
    expect((await client.send({ path: '/' })).status).toBe(500)
  })

  scenario('on one route, with the pattern that has matched', async (world) => {
    const routes: unknown[] = []
    const key = (_req: object, view: { route: string | undefined }) => {
      routes.push(view.route)
      return view.route
    }
    const app = express()
    const everywhere = ten(world, { name: 'everywhere', key })
    const here = ten(world, { name: 'here', key })
    const router = express.Router()
    router.get('/:animal', here, ok)
    router.get(/^\/(?:big|small)\/cats$/, here, ok)
    app.use(everywhere)
    app.use('/zoo', router)
    app.get(['/a', '/b'], here, ok)
    const client = await world.listen(createServer(app))
    expect(await leftOf(client, ['/zoo/tigers', '/zoo/lions', '/zoo/big/cats', '/a', '/b'])).toEqual([
      '9',
      '8',
      '7',
      '6',
      '5',
    ])
    expect(routes.filter((route) => route !== undefined)).toEqual([
      '/:animal',
      '/:animal',
      '/^\\/(?:big|small)\\/cats$/',
      '/a,/b',
      '/a,/b',
    ])
  })

  scenario('the pattern does not follow what the client types of a mount', async (world) => {
    const app = express()
    const router = express.Router()
    const sms = ten(world, { key: (_req, view) => [view.route ?? '', view.network] })
    router.get('/sms', sms, ok)
    app.use('/api', router)
    app.use('/of/:tenant', router)
    const client = await world.listen(createServer(app))
    const paths = ['/api/sms', '/API/sms', '/aPi/sms/', '/of/a/sms', '/of/b/sms', '/OF/c/SMS']
    expect(await leftOf(client, paths)).toEqual(['9', '8', '7', '6', '5', '4'])
  })

  scenario(
    'an error handler that sends a refused request on: the same refusal, and no second charge',
    async (world) => {
      const charged: unknown[] = []
      const observers = [{ decided: ({ remaining }: { remaining: number }) => void charged.push(remaining) }]
      const policies = { few: twoIn10s, many: tenIn10s }
      const options = world.office({ policies, charge: 'every-level', refuseBy: 'error', observers })
      const limit = rateLimit<string>(options)
      const app = express()
      const errors: unknown[] = []
      app.use(limit)
      app.use((error: unknown, _req: Request, _res: Response, next: NextFunction) => {
        errors.push(error)
        next()
      })
      app.use(limit)
      app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
        errors.push(error)
        res.status(429).end()
      })
      app.get('/', ok)
      const client = await world.listen(createServer(app))
      for (let i = 0; i < 4; i++) await client.send({ path: '/' })
      expect(errors.map((error) => (error as RefusedError).decision)).toEqual(
        [errors[0], errors[0], errors[2], errors[2]].map((error) => (error as RefusedError).decision),
      )
      // Four requests, each asked once.
      expect([charged.length, errors.length]).toEqual([4, 4])
      const left = await limit.limiter.peek('bob')
      expect(left.verdicts.many?.remaining).toBe(6)
    },
  )

  scenario(
    'a handler that answers nothing after a hang-up has its place for no longer than its lease',
    async (world) => {
      const limiter = createLimiter({
        ...world.quiet(),
        name: 'slots',
        policy: concurrency({ limit: 2, lease: '30s' }),
      })
      const reached = signal()
      const closed = signal()
      const app = express()
      app.use(rateLimit({ limiter, key: () => 'bob' }))
      app.get('/', (_req, res) => {
        res.once('close', closed.done)
        reached.done()
      })
      const client = await world.listen(createServer(app))
      aborted(await client, reached.promise, '/')
      await closed.promise
      expect((await limiter.peek('bob')).remaining).toBe(1)
      await world.clock.advance(29_999)
      expect((await limiter.peek('bob')).remaining).toBe(1)
      await world.clock.advance(1)
      expect((await limiter.peek('bob')).remaining).toBe(2)
    },
  )

  scenario('in an application mounted in another: the trust of the outer one', async (world) => {
    const app = express()
    const inner = express()
    inner.use(ten(world, { key: undefined }))
    inner.get('/', ok)
    app.set('trust proxy', 1)
    app.use('/inner', inner)
    const client = await world.listen(createServer(app))
    const from = (address: string) => client.send({ path: '/inner', headers: { 'X-Forwarded-For': address } })
    const left = [await from('192.0.2.1'), await from('192.0.2.2'), await from('192.0.2.1')].map(
      (reply) => rowOf(reply)[2],
    )
    expect(left).toEqual(['9', '9', '8'])
  })

  scenario('an error handler behind sees req.rateLimit and the fields', async (world) => {
    const app = express()
    app.use(ten(world))
    app.get('/', () => {
      throw new Error('broken')
    })
    app.use((_error: unknown, req: Request, res: Response, _next: NextFunction) => {
      res.status(502).send(String(req.rateLimit?.remaining))
    })
    const client = await world.listen(createServer(app))
    const reply = await client.send({ path: '/' })
    expect([reply.body, ...rowOf(reply)]).toEqual(['9', 502, '10', '9', '10', undefined])
  })
})

test.each([
  ['Fastify', new IncomingMessage(new Socket()), () => {}],
  ['Koa', { app: {} }, undefined],
])('in an application of %s its error says what to install', (_name, itsRequest, done) => {
  const limit = rateLimit({ policy: fixedWindow({ limit: 1, window: '1m' }) })
  expect(() => limit(itsRequest as never, {} as never, done as never)).toThrow(
    'req: expected a request of Express, with res and next: other frameworks have packages of their own, got ',
  )
})
