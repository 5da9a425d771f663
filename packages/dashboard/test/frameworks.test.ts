import { once } from 'node:events'
import http, { type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createLimiter, slidingWindowLog } from '@sluice/core'
import { memorySink, recorder } from '@sluice/telemetry'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { type Dashboard, dashboard } from '../src/index.ts'
import { act, ask } from './ask.ts'
import { Listener } from './site.ts'

const staff = { Authorization: `Basic ${Buffer.from('ann:secret').toString('base64')}` }
const isStaff = ({ headers }: IncomingMessage) => headers.authorization === staff.Authorization

/** Each with an application beside it that reads bodies, and an authentication in front of the dashboard. */
const mounts: { readonly [framework: string]: (page: Dashboard) => Promise<Server> } = {
  async 'Express 5'(page) {
    const app = express()
    app.use(express.json())
    app.use('/ops/dashboard', (req, res, next) => (isStaff(req) ? next() : res.sendStatus(401)), page)
    return http.createServer(app)
  },
  async 'Express 5 with a route'(page) {
    const app = express()
    const onlyStaff: express.Handler = (req, res, next) => (isStaff(req) ? next() : res.sendStatus(401))
    app.all(['/ops/dashboard', '/ops/dashboard/{*rest}'], onlyStaff, page)
    return http.createServer(app)
  },
  async 'Fastify 5'(page) {
    const app = fastify()
    await app.register(async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        if (!isStaff(request.raw)) await reply.code(401).send()
      })
      // The dashboard reads what it is sent by itself.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, _body, done) => done(null))
      for (const url of ['/ops/dashboard', '/ops/dashboard/*']) {
        scope.all(url, (request, reply) => {
          reply.hijack()
          page(request.raw, reply.raw)
        })
      }
    })
    await app.ready()
    return app.server
  },
  async 'Koa 3'(page) {
    const app = new Koa()
    app.use(async (ctx, next) => {
      if (!/^\/ops\/dashboard(?:\/|$)/.test(ctx.path)) return next()
      if (!isStaff(ctx.req)) return ctx.throw(401)
      ctx.respond = false
      page(ctx.req, ctx.res)
    })
    app.silent = true
    return http.createServer(app.callback())
  },
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

describe.each(Object.entries(mounts))('mounted in %s behind an authentication', (_framework, mount) => {
  async function start(hosts?: readonly string[]) {
    const seen = recorder(memorySink())
    const policy = slidingWindowLog({ limit: 2, window: '1m' })
    const limiter = createLimiter({ name: 'login', policy, observers: [seen] })
    const page = dashboard({ recorder: seen, limiters: [limiter], mayManage: isStaff, hosts })
    const server = (await mount(page)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections())
    ends.push(
      () => limiter.close(),
      () => seen.close(),
      close,
      () => page.close(),
    )
    const { port } = server.address() as AddressInfo // it listens on a port
    return { limiter, origin: `http://127.0.0.1:${port}` }
  }

  test('the page leads to its parts by relative addresses', async () => {
    const { origin } = await start()
    const bare = await ask(origin, '/ops/dashboard?span=60', { headers: staff })
    expect([bare.status, bare.headers.location]).toEqual([308, './dashboard/'])
    const { status, headers, body } = await ask(origin, '/ops/dashboard/', { headers: staff })
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const parts = [...body.matchAll(/(?:src|href)="([^"#:]+)"/g)].map(([, part]) => part)
    expect(parts).toContain('tokens.css')
    for (const part of parts) {
      const { pathname } = new URL(part ?? '', `${origin}/ops/dashboard/`)
      expect([part, (await ask(origin, pathname, { headers: staff })).status]).toEqual([part, 200])
    }
    expect((await ask(origin, '/ops/dashboard/nope.js', { headers: staff })).status).toBe(404)
  })

  test.each(['', '/', '/stream', '/tokens.css', '/block'])('nobody else sees it: %s', async (path) => {
    const { origin } = await start()
    const method = path === '/block' ? 'POST' : 'GET'
    expect((await ask(origin, `/ops/dashboard${path}`, { method })).status).toBe(401)
  })

  test('it is read behind a proxy that hands on a name among its hosts, and by no other name', async () => {
    const through = (origin: string, host: string, path: string) =>
      ask(origin, `/ops/dashboard${path}`, {
        headers: { ...staff, Host: host, 'X-Forwarded-Proto': 'https' },
      })
    const { origin } = await start(['status.zoo.example'])
    for (const path of ['/', '/tokens.css', '/stream']) {
      expect((await through(origin, 'status.zoo.example', path)).status).toBe(200)
      expect((await through(origin, 'evil.example', path)).status).toBe(403)
    }
    const unnamed = await through((await start()).origin, 'status.zoo.example', '/')
    expect(unnamed.status).toBe(403)
    expect(JSON.parse(unnamed.body).detail).toContain('add it to the option "hosts"')
  })

  test('decisions come live, and a key that is shown can be blocked', async () => {
    const { limiter, origin } = await start()
    const listener = new Listener(`${origin}/ops/dashboard/stream?span=60`, staff)
    ends.push(() => listener.close())
    await listener.until('history')
    for (let i = 0; i < 3; i++) await limiter.check('bob')
    await listener.shows(({ totals }) => totals?.admitted === 2 && totals.refused === 1)
    const { keys } = await listener.until('keys', (message) => message.keys.length === 1)
    const blocked = await act(origin, '/ops/dashboard/block', { id: keys[0]?.id, seconds: 60 }, staff)
    expect(blocked.status).toBe(204)
    expect((await limiter.check('bob')).reason).toBe('blocked')
  })
})
