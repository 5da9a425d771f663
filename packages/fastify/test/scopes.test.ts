import { describe, expect } from '@jest/globals'
import { twoIn10s } from '@sluice/conformance/adapter'
import { createLimiter, memoryStore } from '@sluice/core'
import Fastify from 'fastify'
import { type RouteRateLimit, rateLimit } from '../src/index.ts'
import { caughtFrom, countsOf, listen, ok, oneIn10s, scenario, site, ten, tenIn10s } from './site.ts'

describe('47: inherit', () => {
  scenario('both in one decision', async (world) => {
    const client = await site(world, ten(world), (app) => {
      const rateLimit: RouteRateLimit = { policy: twoIn10s, inherit: true }
      app.get('/both', { config: { rateLimit } }, async (request) =>
        Object.keys(request.rateLimit?.verdicts ?? {}),
      )
      app.get('/', ok)
    })
    expect(JSON.parse((await client.send({ path: '/both' })).body)).toEqual(['default', 'route'])
    expect(await countsOf(client, ['/both', '/both', '/'])).toEqual([
      '"all";r=8;t=10, "GET /both";r=0;t=10',
      // Refused by one, taken by none.
      '"all";r=8;t=10, "GET /both";r=0;t=10',
      '"all";r=7;t=10',
    ])
  })

  scenario("the plugin's count refuses there too", async (world) => {
    const client = await site(world, world.tickets({ policy: oneIn10s }), (app) => {
      app.get('/both', { config: { rateLimit: { policy: tenIn10s, inherit: true } } }, ok)
      app.get('/', ok)
    })
    expect((await client.send({ path: '/' })).status).toBe(200)
    const refused = await client.send({ path: '/both' })
    expect([refused.status, JSON.parse(refused.body)['violated-policies']]).toEqual([429, ['tickets']])
  })

  scenario('beside a limiter without policies of its own it is an error', async (world) => {
    const tree = { name: 'tree', check: createLimiter({ policy: twoIn10s, ...world.quiet() }).check }
    const app = Fastify()
    await app.register(rateLimit, { limiter: tree, key: () => 'bob' })
    const add = () => app.get('/', { config: { rateLimit: { policy: twoIn10s, inherit: true } } }, ok)
    expect(caughtFrom(add)).toEqual({ code: 'SLUICE_OPTION', path: 'inherit' })
    const other = () => app.get('/shadow', { config: { rateLimit: { shadow: true } } }, ok)
    expect(caughtFrom(other)).toEqual({ code: 'SLUICE_OPTION', path: 'shadow' })
    await app.close()
  })
})

describe('47: scopes', () => {
  scenario('a child plugin adds, its parent first; a sibling is not concerned', async (world) => {
    const client = await site(world, ten(world), (app) => {
      app.register(async (child) => {
        await child.register(rateLimit, world.tickets({ name: 'child', headers: { draft: true } }))
        child.get('/child', ok)
        child.get('/own', { config: { rateLimit: { policy: oneIn10s } } }, ok)
        child.get('/late', { config: { rateLimit: { policy: oneIn10s, hook: 'preHandler' } } }, ok)
      })
      app.register(async (sibling) => {
        sibling.get('/sibling', ok)
      })
      app.get('/', ok)
    })
    expect(await countsOf(client, ['/child', '/sibling', '/'])).toEqual([
      '"all";r=9;t=10, "child";r=1;t=10',
      '"all";r=8;t=10',
      '"all";r=7;t=10',
    ])
    // Once for all who might answer for the route.
    for (const path of ['/own', '/late']) {
      expect(await countsOf(client, [path])).toEqual([`"GET ${path}";r=0;t=10`])
      expect((await client.send({ path })).status).toBe(429)
    }
  })

  scenario('a plugin in a child does not reach its parent', async (world) => {
    const app = Fastify()
    await app.register(async (child) => {
      await child.register(rateLimit, ten(world))
      child.get('/child', ok)
    })
    app.get('/', ok)
    const client = await listen(world, app)
    expect(await countsOf(client, ['/child', '/'])).toEqual(['"all";r=9;t=10', undefined])
  })

  scenario('one options object for routes of two applications: each counts in its own', async (world) => {
    const rateLimit = { policy: oneIn10s } satisfies RouteRateLimit
    for (const name of ['one', 'other']) {
      const client = await site(world, world.tickets({ name, store: memoryStore() }), (app) => {
        app.get('/', { config: { rateLimit } }, ok)
      })
      const replies = [await client.send({ path: '/' }), await client.send({ path: '/' })]
      expect(replies.map(({ status }) => status)).toEqual([200, 429])
    }
  })

  scenario('global: false: only routes that ask', async (world) => {
    const client = await site(world, { ...ten(world), global: false }, (app) => {
      app.get('/', ok)
      app.get('/asks', { config: { rateLimit: {} } }, ok)
      app.get('/own', { config: { rateLimit: { policy: twoIn10s } } }, ok)
    })
    expect(await countsOf(client, ['/', '/asks', '/own'])).toEqual([
      undefined,
      '"all";r=9;t=10',
      '"GET /own";r=1;t=10',
    ])
  })

  scenario('a plugin that nobody waited for limits the routes behind it as well', async (world) => {
    const app = Fastify()
    void app.register(rateLimit, ten(world))
    app.get('/', ok)
    app.get('/own', { config: { rateLimit: { policy: twoIn10s } } }, ok)
    app.get('/free', { config: { rateLimit: false } }, ok)
    const client = await listen(world, app)
    expect(await countsOf(client, ['/', '/own', '/free'])).toEqual([
      '"all";r=9;t=10',
      '"GET /own";r=1;t=10',
      undefined,
    ])
  })

  scenario('a hook registered behind the plugin runs behind it', async (world) => {
    let asked = 0
    const client = await site(world, world.tickets({ policy: oneIn10s }), (app) => {
      app.addHook('onRequest', async () => {
        asked++
      })
      app.get('/', ok)
    })
    expect([(await client.send({ path: '/' })).status, (await client.send({ path: '/' })).status]).toEqual([
      200, 429,
    ])
    expect(asked).toBe(1)
  })
})
