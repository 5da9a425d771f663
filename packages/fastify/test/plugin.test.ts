import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { twoIn10s } from '@sluice/conformance/adapter'
import { createLimiter, memoryStore, type Store } from '@sluice/core'
import Fastify from 'fastify'
import { rateLimit } from '../src/index.ts'
import { listen, ok, oneIn10s, scenario, site, tenIn10s } from './site.ts'

describe('the plugin', () => {
  scenario(
    'closes with the application what it has made itself, and leaves open what was passed in',
    async (world) => {
      const closed: string[] = []
      const store = (name: string): Store => {
        return { ...bound(memoryStore()), name, close: async () => void closed.push(name) }
      }
      const [theirs, given] = [store('theirs'), store('given')]
      const limiter = createLimiter({ policy: twoIn10s, ...world.quiet(), store: theirs })
      const app = Fastify()
      await app.register(rateLimit, { limiter, key: () => 'bob' })
      await app.register(rateLimit, world.tickets({ store: given }))
      app.get('/', { config: { rateLimit: { policy: oneIn10s, name: 'own' } } }, ok)
      await listen(world, app)
      await app.close()
      expect(closed).toEqual([])
      // Names are free once their limiters are closed: of the route's, the plugin's and not the one that was passed in.
      const other = (name: string, store: Store) => createLimiter({ policy: tenIn10s, name, store })
      expect(() => other('default', theirs)).toThrow('name')
      await limiter.close()
      for (const name of ['default', 'own']) await other(name, theirs).close()
      await other('tickets', given).close()
    },
  )

  scenario('a second application on one store may use the names of one that was closed', async (world) => {
    for (const policy of [oneIn10s, twoIn10s]) {
      const client = await site(world, world.tickets({ policy }), (app) => {
        app.get('/', { config: { rateLimit: { policy } } }, ok)
      })
      expect((await client.send({ path: '/' })).status).toBe(200)
      await world.running.close()
    }
  })

  scenario('whose limit fails behind an answer that has begun breaks it off', async (world) => {
    const app = Fastify()
    app.addHook('onRequest', (_, reply, done) => {
      reply.raw.writeHead(200)
      reply.raw.write('begun ')
      done()
    })
    const key = () => {
      throw new Error('no key')
    }
    await app.register(rateLimit, world.tickets({ key }))
    app.get('/', ok)
    const client = await listen(world, app)
    await expect(client.send({ path: '/' })).rejects.toThrow()
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

/** A store's methods as plain functions. */
function bound(store: Store): Omit<Store, 'name' | 'close'> {
  return {
    answer: (question) => store.answer(question),
    adjust: (changes) => store.adjust(changes),
    manage: (command) => store.manage(command),
  }
}

test.each([
  ['with options', [{}]],
  ['by Express, as app.use(rateLimit) does', [new IncomingMessage(new Socket()), {}, () => {}]],
  ['by Koa', [{ url: '/' }, () => {}]],
])('a plugin that is called says how it is registered: %s', async (_name, given) => {
  const called = rateLimit as unknown as (...given: unknown[]) => Promise<void>
  await expect(called(...given)).rejects.toThrow(
    'rateLimit: expected to be registered: write await app.register(rateLimit, { policy }) in Fastify; other frameworks have packages of their own, got an object',
  )
})
