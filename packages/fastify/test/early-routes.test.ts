import { describe, expect } from '@jest/globals'
import { type Client, twoIn10s } from '@sluice/conformance/adapter'
import Fastify, { type FastifyInstance } from 'fastify'
import { rateLimit } from '../src/index.ts'
import { hookNames } from '../src/options.ts'
import { countsOf, listen, ok, oneIn10s, scenario, ten, tenIn10s } from './site.ts'

async function statusesOf(client: Client, path: string, count: number): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < count; i++) statuses.push((await client.send({ path })).status)
  return statuses
}

/** Nobody waits for the plugin: its `onRoute` hook sees none of these routes. */
describe('routes that were declared before the plugin has loaded', () => {
  scenario('have their own limits, in whichever hook they ask for', async (world) => {
    const app = Fastify()
    void app.register(rateLimit, { ...world.tickets({ policy: tenIn10s, name: 'all' }) })
    for (const hook of hookNames)
      app.get(`/${hook}`, { config: { rateLimit: { policy: twoIn10s, hook } } }, ok)
    app.get('/plain', ok)
    const client = await listen(world, app)
    for (const hook of hookNames)
      expect([hook, await statusesOf(client, `/${hook}`, 3)]).toEqual([hook, [200, 200, 429]])
    expect(await statusesOf(client, '/plain', 1)).toEqual([200])
  })

  scenario('are counted once, beside those that were declared later', async (world) => {
    const app = Fastify()
    app.get('/early', { config: { rateLimit: { policy: tenIn10s, hook: 'preHandler' } } }, ok)
    await app.register(rateLimit, ten(world))
    app.get('/late', { config: { rateLimit: { policy: tenIn10s, hook: 'preHandler' } } }, ok)
    app.get('/off', { config: { rateLimit: false } }, ok)
    app.get('/all', ok)
    const client = await listen(world, app)
    expect(await countsOf(client, ['/early', '/early', '/late', '/late', '/off', '/all'])).toEqual([
      '"GET /early";r=9;t=10',
      '"GET /early";r=8;t=10',
      '"GET /late";r=9;t=10',
      '"GET /late";r=8;t=10',
      undefined,
      '"all";r=9;t=10',
    ])
  })
})

describe("a route's own hooks", () => {
  scenario('run behind its limit where they have the same name', async (world) => {
    const app: FastifyInstance = Fastify()
    await app.register(rateLimit, ten(world))
    let ran = 0
    const preHandler = async () => void ran++
    app.get('/', { preHandler, config: { rateLimit: { policy: oneIn10s, hook: 'preHandler' } } }, ok)
    const client = await listen(world, app)
    expect(await statusesOf(client, '/', 3)).toEqual([200, 429, 429])
    expect(ran).toBe(1)
  })
})
