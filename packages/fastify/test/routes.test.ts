import { describe, expect, it } from '@jest/globals'
import { type Client, inWorld, rowOf, twoIn10s, type World } from '@sluice/conformance/adapter'
import { createLimiter, fixedWindow, memoryStore, type Store } from '@sluice/core'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type RateLimitPluginOptions, type RouteRateLimit, rateLimit } from '../src/index.ts'
import { start } from './start.ts'

const tenIn10s = fixedWindow({ limit: 10, window: '10s' })
const oneIn10s = fixedWindow({ limit: 1, window: '10s' })

const ok = async (request: FastifyRequest) => request.rateLimit?.policy ?? 'unlimited'

async function listen(world: World, app: FastifyInstance): Promise<Client> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return world.serve({ server: app.server, handles: new Map(), close: () => app.close() })
}

/** An application with the plugin, `build` having added its routes. */
async function site(
  world: World,
  options: RateLimitPluginOptions,
  build: (app: FastifyInstance) => unknown,
): Promise<Client> {
  const app = Fastify()
  await app.register(rateLimit, options)
  await build(app)
  return listen(world, app)
}

/** `ten` by X-Key for all routes, draft fields, so that the names of what was counted can be read. */
function ten(world: World): RateLimitPluginOptions {
  return world.tickets({ policy: tenIn10s, name: 'all', headers: { draft: true } })
}

/** The draft field of each path, asked one after another. */
async function countsOf(client: Client, paths: readonly string[], method = 'GET'): Promise<unknown[]> {
  const counts: unknown[] = []
  for (const path of paths) counts.push((await client.send({ path, method })).headers.ratelimit)
  return counts
}

function scenario(title: string, run: (world: World) => Promise<void>): void {
  it(title, () => inWorld(start, run))
}

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

  scenario('what is wrong is said at registration', async (world) => {
    const app = Fastify()
    await app.register(rateLimit, ten(world))
    // biome-ignore format: a table
    const rows = [
      [{ max: 5 },                                              'max'],
      [{ policy: 'gcra' },                                      'policy'],
      [{ cost: -1 },                                            'cost'],
      [{ cost: { visitor: 1 } },                                'cost.visitor'],
      [{ policy: twoIn10s, shadow: { visitor: true } },         'shadow.visitor'],
      [{ policies: { default: twoIn10s, other: twoIn10s }, inherit: true }, 'policies.default'],
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
    expect(await countsOf(client, ['/own'])).toEqual(['"GET /own";r=0;t=10'])
    expect((await client.send({ path: '/own' })).status).toBe(429)
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

describe('47: hooks', () => {
  const byUser: RouteRateLimit['key'] = (request) => {
    const { user } = (request.body ?? {}) as { user?: string }
    return user
  }

  async function statusesOf(client: Client, path: string): Promise<number[]> {
    const statuses: number[] = []
    for (const user of ['bob', 'eve', 'bob', 'eve']) {
      const headers = { 'Content-Type': 'application/json' }
      statuses.push(
        (await client.send({ method: 'POST', path, headers, body: JSON.stringify({ user }) })).status,
      )
    }
    return statuses
  }

  scenario("a key from the body, in the plugin's hook or the route's own", async (world) => {
    const options = world.tickets({ policy: oneIn10s })
    const plugin = await site(world, { ...options, hook: 'preHandler', key: byUser as never }, (app) =>
      app.post('/', ok),
    )
    expect(await statusesOf(plugin, '/')).toEqual([200, 200, 429, 429])
    const route = await site(world, options, (app) => {
      app.post(
        '/own',
        { config: { rateLimit: { policy: oneIn10s, hook: 'preValidation', key: byUser } } },
        ok,
      )
    })
    expect(await statusesOf(route, '/own')).toEqual([200, 200, 429, 429])
  })

  scenario('a limiter ahead of the body keeps a refused body from being read', async (world) => {
    let parsed = 0
    const client = await site(
      world,
      { ...world.tickets({ policy: oneIn10s }), hook: 'preParsing' },
      (app) => {
        app.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) => {
          parsed++
          done(null, body)
        })
        app.post('/', ok)
      },
    )
    const headers = { 'Content-Type': 'application/json' }
    const send = () => client.send({ method: 'POST', path: '/', headers, body: '{}' })
    expect([(await send()).status, (await send()).status, parsed]).toEqual([200, 429, 1])
  })
})

describe('47: the not-found handler', () => {
  scenario('is not limited unless it asks', async (world) => {
    const client = await site(world, ten(world), (app) => app.get('/', ok))
    expect(await countsOf(client, ['/nowhere', '/'])).toEqual([undefined, '"all";r=9;t=10'])
  })

  scenario("is limited by the plugin's count, or one of its own", async (world) => {
    const plain = await site(world, ten(world), (app) => {
      app.setNotFoundHandler({ preHandler: app.rateLimitHook() }, (_, reply) =>
        reply.code(404).send('nowhere'),
      )
      app.get('/', ok)
    })
    expect(await countsOf(plain, ['/nowhere', '/', '/elsewhere'])).toEqual([
      '"all";r=9;t=10',
      '"all";r=8;t=10',
      '"all";r=7;t=10',
    ])
    const own = await site(world, ten(world), (app) => {
      const preHandler = app.rateLimitHook({ policy: twoIn10s, name: 'lost' })
      app.setNotFoundHandler({ preHandler }, (_, reply) => reply.code(404).send('nowhere'))
    })
    const replies = [
      await own.send({ path: '/1' }),
      await own.send({ path: '/2' }),
      await own.send({ path: '/3' }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 429])
  })

  scenario("a child's hook is that of the child's plugin", async (world) => {
    const client = await site(world, ten(world), (app) => {
      app.register(
        async (child) => {
          await child.register(rateLimit, world.tickets({ name: 'child', headers: { draft: true } }))
          child.setNotFoundHandler({ preHandler: child.rateLimitHook() }, (_, reply) =>
            reply.code(404).send('nowhere'),
          )
        },
        { prefix: '/child' },
      )
    })
    expect(await countsOf(client, ['/child/nowhere'])).toEqual(['"child";r=1;t=10'])
  })
})

describe('the plugin', () => {
  scenario('closes with the application what it has made itself, and no more', async (world) => {
    const closed: string[] = []
    const store = (name: string): Store => {
      return { ...bound(memoryStore()), name, close: async () => void closed.push(name) }
    }
    const limiter = createLimiter({ policy: twoIn10s, ...world.quiet(), store: store('passed in') })
    const app = Fastify()
    await app.register(rateLimit, { limiter, key: () => 'bob' })
    await app.register(rateLimit, world.tickets({ store: store('given') }))
    app.get('/', { config: { rateLimit: { policy: oneIn10s } } }, ok)
    const client = await listen(world, app)
    await client.send({ path: '/' })
    await app.close()
    expect(closed).toEqual([])
    // The names are free again.
    await limiter.close()
  })

  scenario('a second application on one store may use the names of one that was closed', async (world) => {
    for (const policy of [oneIn10s, twoIn10s]) {
      const client = await site(world, world.tickets({ policy }), (app) => {
        app.get('/', { config: { rateLimit: { policy } } }, ok)
      })
      expect((await client.send({ path: '/' })).status).toBe(200)
      await world.running.close()
    }
  })

  scenario('trustProxy as a number trusts nobody: one warning', async (world) => {
    const app = Fastify({ trustProxy: 1 as never })
    await app.register(rateLimit, world.tickets({ key: undefined }))
    app.get('/', ok)
    const client = await listen(world, app)
    for (const address of ['192.0.2.1', '192.0.2.2'])
      await client.send({ path: '/', headers: { 'X-Forwarded-For': address } })
    expect(world.takeWarnings()).toEqual(['SLUICE_PROXY_UNTRUSTED'])
  })

  scenario("refuseBy: 'error' reaches the error handler of the route's own scope", async (world) => {
    const client = await site(world, world.tickets({ policy: oneIn10s, refuseBy: 'error' }), (app) => {
      app.register(async (child) => {
        child.setErrorHandler((error, _, reply) => reply.code(418).send(String(error)))
        child.get('/', ok)
      })
    })
    await client.send({ path: '/' })
    expect(await client.send({ path: '/' })).toMatchObject({ status: 418, body: 'Error: Too Many Requests' })
  })
})

/** What a wrong option is told by. */
function caughtFrom(add: () => unknown): { code: unknown; path: unknown } | undefined {
  try {
    add()
  } catch (error) {
    const { code, path } = error as { code: unknown; path: unknown }
    return { code, path }
  }
  return undefined
}

/** A store's methods as plain functions. */
function bound(store: Store): Omit<Store, 'name' | 'close'> {
  return {
    decide: (questions) => store.decide(questions),
    adjust: (changes) => store.adjust(changes),
    manage: (command) => store.manage(command),
  }
}
