import { describe, expect } from '@jest/globals'
import { rowOf, twoIn10s } from '@sluice/conformance/adapter'
import { gcra, memoryStore } from '@sluice/core'
import Fastify from 'fastify'
import { type RateLimitPluginOptions, type RouteRateLimit, rateLimit } from '../src/index.ts'
import { caughtFrom, countsOf, ok, scenario, site, ten, tenIn10s } from './site.ts'

describe("47: a route's config.rateLimit", () => {
  scenario('false: off', async (world) => {
    const client = await site(world, ten(world), (app) => {
      app.get('/free', { config: { rateLimit: false } }, ok)
      app.get('/', ok)
    })
    expect(await countsOf(client, ['/free', '/'])).toEqual([undefined, '"all";r=9;t=10'])
    expect((await client.send({ path: '/free' })).body).toBe('unlimited')
  })

  scenario("an object with a policy replaces the plugin's, under method and route", async (world) => {
    const client = await site(world, ten(world), (app) => {
      app.get('/login', { config: { rateLimit: { policy: twoIn10s } } }, ok)
      app.get('/', ok)
    })
    expect(await countsOf(client, ['/login', '/', '/login', '/'])).toEqual([
      '"GET /login";r=1;t=10',
      '"all";r=9;t=10',
      '"GET /login";r=0;t=10',
      '"all";r=8;t=10',
    ])
    expect(rowOf(await client.send({ path: '/login' }))).toEqual([429, '2', '0', '10', '10'])
  })

  scenario('one object for several routes and methods: each counts by itself', async (world) => {
    const rateLimit: RouteRateLimit = { policy: twoIn10s }
    const client = await site(world, ten(world), (app) => {
      app.get('/a', { config: { rateLimit } }, ok)
      app.post('/a', { config: { rateLimit } }, ok)
      app.get('/b', { config: { rateLimit } }, ok)
    })
    expect(await countsOf(client, ['/a', '/b'])).toEqual(['"GET /a";r=1;t=10', '"GET /b";r=1;t=10'])
    expect(await countsOf(client, ['/a'], 'POST')).toEqual(['"POST /a";r=1;t=10'])
  })

  scenario('HEAD counts with GET', async (world) => {
    const client = await site(world, ten(world), (app) => {
      app.get('/a', { config: { rateLimit: { policy: twoIn10s } } }, ok)
      app.route({
        method: ['GET', 'POST'],
        url: '/b',
        config: { rateLimit: { policy: twoIn10s, hook: 'preHandler' } },
        handler: ok,
      })
    })
    for (const path of ['/a', '/b']) {
      const statuses = [
        await client.send({ path }),
        await client.send({ path, method: 'HEAD' }),
        await client.send({ path }),
      ]
      expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429])
    }
  })

  scenario('a prefix with and without its slash is one route', async (world) => {
    const client = await site(world, ten(world), (app) => {
      app.register(
        async (zoo) => {
          zoo.get('/', { config: { rateLimit: { policy: twoIn10s } } }, ok)
        },
        { prefix: '/zoo' },
      )
    })
    expect(await countsOf(client, ['/zoo', '/zoo/'])).toEqual(['"GET /zoo";r=1;t=10', '"GET /zoo";r=0;t=10'])
    expect((await client.send({ path: '/zoo/' })).status).toBe(429)
  })

  scenario('a shared name shares the count', async (world) => {
    const client = await site(world, ten(world), (app) => {
      for (const url of ['/a', '/b'])
        app.get(url, { config: { rateLimit: { policy: twoIn10s, name: 'both' } } }, ok)
    })
    expect(await countsOf(client, ['/a', '/b'])).toEqual(['"both";r=1;t=10', '"both";r=0;t=10'])
  })

  scenario("without a policy: the plugin's count, asked in another way", async (world) => {
    const client = await site(world, ten(world), (app) => {
      app.get('/dear', { config: { rateLimit: { cost: 4 } } }, ok)
      app.get('/watched', { config: { rateLimit: { shadow: true } } }, ok)
      app.get('/apart', { config: { rateLimit: { name: 'apart' } } }, ok)
      app.get('/', ok)
    })
    expect(await countsOf(client, ['/', '/dear', '/apart', '/dear', '/dear'])).toEqual([
      '"all";r=9;t=10',
      '"all";r=5;t=10',
      '"apart";r=9;t=10',
      '"all";r=1;t=10',
      '"all";r=1;t=10',
    ])
    expect((await client.send({ path: '/dear' })).status).toBe(429)
    expect((await client.send({ path: '/' })).status).toBe(200)
    expect((await client.send({ path: '/' })).status).toBe(429)
    expect((await client.send({ path: '/watched' })).status).toBe(200)
  })

  scenario(
    'a route is of a kind that has a price in the plugin, also under a policy of its own',
    async (world) => {
      const options = world.office({
        policies: { visitor: tenIn10s, attraction: tenIn10s },
        prices: { write: 4, export: { visitor: 6, attraction: 1 } },
        headers: { x: false, draft: true },
      })
      const client = await site(world, options, (app) => {
        app.get('/write', { config: { rateLimit: { cost: 'write' } } }, ok)
        app.get('/export', { config: { rateLimit: { cost: 'export' } } }, ok)
        app.get('/shadow', { config: { rateLimit: { cost: 'export', shadow: true } } }, ok)
        app.get('/own', { config: { rateLimit: { policy: tenIn10s, cost: 'write' } } }, ok)
        const own = { policies: { visitor: tenIn10s }, cost: 'export', inherit: true } as const
        app.get('/beside', { config: { rateLimit: own } }, ok)
        expect(() => app.get('/wrong', { config: { rateLimit: { cost: 'wirte' } } }, ok)).toThrow('"write"')
        expect(() =>
          app.get('/wrong', { config: { rateLimit: { cost: 'wirte', shadow: true } } }, ok),
        ).toThrow('"write"')
        expect(() =>
          app.get('/wrong', { config: { rateLimit: { policy: tenIn10s, cost: 'x' } } }, ok),
        ).toThrow('export')
      })
      expect(await countsOf(client, ['/write', '/export', '/own', '/beside'])).toEqual([
        '"tickets.visitor";r=6;t=10, "tickets.attraction";r=6;t=10',
        '"tickets.visitor";r=0;t=10, "tickets.attraction";r=5;t=10',
        '"GET /own";r=6;t=10',
        '"tickets.attraction";r=4;t=10, "GET /beside";r=4;t=10',
      ])
      expect((await client.send({ path: '/shadow' })).status).toBe(200)
    },
  )

  scenario('undefined leaves what the plugin says', async (world) => {
    const client = await site(world, ten(world), (app) => {
      app.get('/', { config: { rateLimit: { key: undefined, headers: undefined, cost: undefined } } }, ok)
    })
    expect(await countsOf(client, ['/', '/'])).toEqual(['"all";r=9;t=10', '"all";r=8;t=10'])
    expect((await client.send({ path: '/', by: 'eve' })).headers.ratelimit).toBe('"all";r=9;t=10')
  })

  scenario("the plugin's records by policy do not hinder a route's own policies", async (world) => {
    const options = world.office({
      policies: { visitor: tenIn10s, attraction: tenIn10s },
      cost: { attraction: 2 },
      shadow: { visitor: true },
      onStoreFailure: { visitor: 'allow' },
    })
    const client = await site(world, options, (app) => {
      app.get('/own', { config: { rateLimit: { policy: twoIn10s } } }, ok)
      app.get('/both', { config: { rateLimit: { policy: twoIn10s, inherit: true } } }, ok)
    })
    expect(rowOf(await client.send({ path: '/own' }))).toEqual([200, '2', '1', '10', undefined])
    expect(rowOf(await client.send({ path: '/both' }))).toEqual([200, '2', '1', '10', undefined])
  })

  scenario("a route changes or leaves out one of the plugin's policies by name", async (world) => {
    const options = world.office({
      policies: { visitor: tenIn10s, attraction: tenIn10s },
      headers: { x: false, draft: true },
    })
    const client = await site(world, options, (app) => {
      app.get('/', ok)
      app.get('/changed', { config: { rateLimit: { policies: { visitor: twoIn10s }, inherit: true } } }, ok)
      app.get('/left-out', { config: { rateLimit: { without: ['visitor'] } } }, ok)
    })
    expect(await countsOf(client, ['/', '/changed', '/left-out', '/'])).toEqual([
      '"tickets.visitor";r=9;t=10, "tickets.attraction";r=9;t=10',
      '"tickets.attraction";r=8;t=10, "GET /changed";r=1;t=10',
      '"tickets.attraction";r=7;t=10',
      '"tickets.visitor";r=8;t=10, "tickets.attraction";r=6;t=10',
    ])
  })

  scenario('what is wrong is said at registration', async (world) => {
    const app = Fastify()
    await app.register(rateLimit, ten(world))
    // biome-ignore format: a table
    const rows = [
      [{ max: 5 },                                              'max'],
      [{ policy: 'gcra' },                                      'policy'],
      [{ policy: gcra },                                        'policy'],
      [{ policies: { login: gcra } },                           'policies.login'],
      [{ cost: -1 },                                            'cost'],
      [{ cost: { visitor: 1 } },                                'cost.visitor'],
      [{ policy: twoIn10s, shadow: { visitor: true } },         'shadow.visitor'],
      [{ without: ['visitor'] },                                'without.visitor'],
      [{ without: ['default'], policy: twoIn10s },              'without'],
      [{ store: memoryStore() },                                'store'],
      [{ global: true },                                        'global'],
      [{ inherit: 'yes', policy: twoIn10s },                    'inherit'],
      [{ hook: 'onResponse' },                                  'hook'],
    ] as const
    for (const [i, [config, path]] of rows.entries()) {
      const add = () => app.get(`/${i}`, { config: { rateLimit: config as never } }, ok)
      expect([path, caughtFrom(add)]).toEqual([path, { code: 'SLUICE_OPTION', path }])
    }
    await app.close()
  })

  scenario("so is what is wrong with the plugin's own options", async (world) => {
    // biome-ignore format: a table
    const rows = [
      [{ hook: 'onResponse' },   'hook'],
      [{ global: 'yes' },        'global'],
      [{ inherit: true },        'inherit'],
      [{ policies: {} },         'policies'],
    ] as const
    for (const [more, path] of rows) {
      const opened = site(world, { ...ten(world), ...more } as RateLimitPluginOptions, () => {})
      await expect(opened).rejects.toMatchObject({ code: 'SLUICE_OPTION', path })
    }
  })
})
