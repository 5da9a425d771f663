import { describe, expect, it } from '@jest/globals'
import { createLimiter, memoryStore } from '@sluice/core'
import Fastify from 'fastify'
import { rateLimit } from '../src/index.ts'
import { caughtFrom, ok, oneIn10s, scenario, site, tenIn10s } from './site.ts'

/** Options of all routes without a policy. */
const shared = { global: false, policy: undefined } as const

describe('global: false without a policy', () => {
  scenario('limits the routes that have one, each with its own count, on the one store', async (world) => {
    const store = memoryStore()
    const options = { ...world.tickets({ store }), ...shared }
    const client = await site(world, options, (app) => {
      app.get('/', ok)
      app.get('/one', { config: { rateLimit: { policy: oneIn10s } } }, ok)
      app.get('/two', { config: { rateLimit: { policy: oneIn10s, name: 'two' } } }, ok)
    })
    const statuses: unknown[] = []
    for (const path of ['/', '/', '/one', '/one', '/two', '/two'])
      statuses.push((await client.send({ path })).status)
    expect(statuses).toEqual([200, 200, 200, 429, 200, 429])
    const names = ['GET /one', 'two']
    for (const name of names) {
      const other = () => createLimiter({ name, store, policy: tenIn10s })
      expect(other).toThrow(`a name of its own`)
    }
  })

  scenario('applies its other options to those routes', async (world) => {
    const options = { ...world.tickets(), ...shared, key: () => 'all', cost: 1 }
    const client = await site(world, options, (app) => {
      app.get('/', { config: { rateLimit: { policy: oneIn10s, headers: { draft: 6 } } } }, ok)
    })
    const first = await client.send({ path: '/', headers: { 'X-Key': 'bob' } })
    const second = await client.send({ path: '/', headers: { 'X-Key': 'eve' } })
    expect([first.status, second.status, first.headers['ratelimit-limit']]).toEqual([200, 429, '1'])
  })

  it('reports at once what cannot be', async () => {
    const app = Fastify()
    await app.register(rateLimit, shared)
    const get = (own: object) => caughtFrom(() => app.get('/', { config: { rateLimit: own } }, ok))
    expect(get({ cost: 2 })).toEqual({ code: 'SLUICE_OPTION', path: 'policy' })
    expect(get({ policy: oneIn10s, inherit: true })).toEqual({ code: 'SLUICE_OPTION', path: 'inherit' })
    expect(caughtFrom(() => app.rateLimitHook())).toEqual({ code: 'SLUICE_OPTION', path: 'policy' })
    const misspelt = async (options: object) => {
      const other = Fastify()
      await other.register(rateLimit, { ...shared, ...options })
    }
    await expect(misspelt({ kee: () => 'bob' })).rejects.toMatchObject({ path: 'kee' })
    await expect(misspelt({ headers: { draft: 5 } })).rejects.toMatchObject({ path: 'headers.draft' })
    await expect(misspelt({ store: {} })).rejects.toMatchObject({ path: 'store' })
    await expect(misspelt({ global: undefined })).rejects.toMatchObject({ path: 'policy' })
    await app.close()
  })

  scenario('has a limiter whose count a handler clears', async (world) => {
    const client = await site(world, { ...world.tickets(), ...shared }, (app) => {
      const login = app.rateLimitHook({ name: 'login', policy: oneIn10s })
      app.post('/login', { onRequest: login }, async (request) => login.decisionFor(request)?.limiter)
      app.post('/captcha', async (request) => login.limiter.reset(await login.keyOf(request)))
    })
    const answers: unknown[] = []
    for (const path of ['/login', '/login', '/captcha', '/login']) {
      const { status, body } = await client.send({ method: 'POST', path })
      answers.push(status === 429 ? 429 : body)
    }
    expect(answers).toEqual(['login', 429, '', 'login'])
  })
})
