import { describe, expect } from '@jest/globals'
import { type Client, twoIn10s } from '@sluice/conformance/adapter'
import { type RouteRateLimit, rateLimit } from '../src/index.ts'
import { hookNames } from '../src/options.ts'
import { countsOf, ok, oneIn10s, scenario, site, ten } from './site.ts'

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

describe('a refused request', () => {
  for (const hook of hookNames) {
    scenario(
      `has its decision in onSend, and never goes on while that takes its time (${hook})`,
      async (world) => {
        const seen: unknown[] = []
        const client = await site(world, { ...world.tickets({ policy: oneIn10s }), hook }, (app) => {
          app.addHook('onSend', async (request) => {
            await new Promise((resolve) => setTimeout(resolve, 5))
            seen.push(request.rateLimit?.allowed)
          })
          app.get('/', async () => seen.push('handled'))
        })
        const send = () => client.send({ path: '/' })
        expect([(await send()).status, (await send()).status]).toEqual([200, 429])
        expect(seen).toEqual(['handled', true, false])
      },
    )
  }
})

describe('an onSend hook that fails on a refusal', () => {
  for (const fails of ['throws', 'fails later'])
    scenario(
      `hands over to the error handler, which answers in Fastify's own way (${fails})`,
      async (world) => {
        const client = await site(world, world.tickets({ policy: oneIn10s }), (app) => {
          app.setErrorHandler((error, _, reply) => reply.code(500).send({ said: String(error) }))
          app.addHook('onSend', (_request, reply, _payload, done) => {
            if (reply.statusCode !== 429) return done()
            if (fails === 'throws') throw new Error('no')
            setImmediate(() => done(new Error('no')))
          })
          app.get('/', ok)
        })
        await client.send({ path: '/' })
        const { status, headers, body } = await client.send({ path: '/' })
        expect([status, headers['content-type'], body]).toEqual([
          500,
          'application/json; charset=utf-8',
          '{"said":"Error: no"}',
        ])
      },
    )
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

  scenario('carries its limiter, the key of a request and its decision', async (world) => {
    const client = await site(world, ten(world), (app) => {
      const limit = app.rateLimitHook()
      app.get('/', ok)
      app.get('/left', async (request) => limit.decisionFor(request)?.remaining)
      app.get('/forget', async (request) => limit.limiter.reset(await limit.keyOf(request)))
    })
    const remaining = async () => (await client.send({ path: '/left' })).body
    expect([await remaining(), await remaining()]).toEqual(['9', '8'])
    await client.send({ path: '/forget' })
    expect(await remaining()).toBe('9')
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
