import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import rateLimit, { type FastifyRateLimitStoreCtor } from '../../src/fastify-rate-limit/index.ts'
import { type Get, served } from './serve.ts'

beforeEach(() => void jest.spyOn(console, 'warn').mockImplementation(() => {}))
afterEach(() => void jest.mocked(console.warn).mockRestore())

/** A client writes its key as JSON. */
const keyGenerator = ({ headers }: FastifyRequest) => JSON.parse(String(headers.key))

/** A count for all routes, and one for a route, a handler, a group and each window in it. */
async function places(app: FastifyInstance) {
  await app.register(rateLimit, { keyGenerator, max: 50, timeWindow: '1 minute' })
  app.get('/', async () => 'hello')
  app.get('/login', { config: { rateLimit: { max: 50 } } }, async () => 'welcome')
  app.get('/send', { config: { rateLimit: { max: 50, groupId: 'mail' } } }, async () => 'sent')
  const often = { max: 50, groupId: 'mail', timeWindow: 1000 }
  app.get('/poll', { config: { rateLimit: often } }, async () => 'nothing')
  const hook = app.rateLimit({ max: 50 })
  app.get('/hook', { config: { rateLimit: false }, onRequest: hook }, async () => 'hello')
}
const paths = ['/', '/login', '/send', '/poll', '/hook']

const hostile: readonly unknown[] = [
  ['GET /login', 'victim'],
  ['GET,HEAD /login', 'victim'],
  ['group', 'mail', 'victim'],
  ['group', 'mail', '60000', 'victim'],
  ['mail', '60000', 'victim'],
  ['60000', 'victim'],
  ['handler 1', 'victim'],
  ['', 'victim'],
  ['', 'GET /login', 'victim'],
  [['GET /login'], 'victim'],
  [['GET /login', 'victim']],
  { 0: 'GET /login', 1: 'victim', length: 2 },
  { toString: 'victim' },
  'GET /login,victim',
  'GET /login%2cvictim',
  ',victim',
  'victim,',
  'victim\u0000',
  'victimmail',
  '__proto__',
  'constructor',
  null,
  true,
  [],
  [null, 'victim'],
  'victim'.repeat(1000),
  ['GET /login', 'victim'.repeat(1000)],
]

const left = async (get: Get, path: string, key: unknown, from = '192.0.2.1') => {
  const { headers } = await get(path, { key: JSON.stringify(key), 'x-forwarded-for': from })
  return Number(headers.get('x-ratelimit-remaining'))
}

it('whatever a client writes as its key, it is never counted for another client or in another place', async () => {
  await served(places, async (get) => {
    for (const [i, key] of hostile.entries())
      for (const path of paths) await left(get, path, key, `198.51.100.${i}`)
    for (const path of paths) {
      expect([path, await left(get, path, 'victim')]).toEqual([path, 49])
      expect([path, await left(get, path, ['victim', 'a'])]).toEqual([path, 49])
    }
  })
})

it('what is no key is counted for the network of its client, in each place', async () => {
  await served(places, async (get) => {
    for (const path of paths) {
      expect(await left(get, path, {}, '192.0.2.1')).toBe(49)
      expect(await left(get, path, [['victim']], '192.0.2.1')).toBe(48)
      expect(await left(get, path, null, '192.0.2.2')).toBe(49)
    }
  })
})

it.each([[Symbol('s')], [() => 'key'], [[Promise.resolve('key')]]])(
  'a key that no client can write, such as %p, lets nobody through',
  async (answer) => {
    const build = async (app: FastifyInstance) => {
      await app.register(rateLimit, { keyGenerator: () => answer as never })
      app.get('/', async () => 'hello')
      app.get('/own', { config: { rateLimit: { max: 5 } } }, async () => 'own')
    }
    await served(build, async (get) => {
      expect([(await get('/')).status, (await get('/own')).status]).toEqual([500, 500])
    })
  },
)

it('a store for @fastify/rate-limit gets a text or a number: the network, where the answer is neither', async () => {
  const seen: unknown[] = []
  const Recording = class {
    incr(key: string, callback: (error: null, count: { current: number; ttl: number }) => void) {
      seen.push(key)
      callback(null, { current: 1, ttl: 1 })
    }
    child() {
      return this
    }
  } as FastifyRateLimitStoreCtor // its child is asked for nothing else
  const build = async (app: FastifyInstance) => {
    await app.register(rateLimit, { keyGenerator, store: Recording })
    app.get('/', async () => 'hello')
    app.get('/send', { config: { rateLimit: { groupId: '-mail' } } }, async () => 'sent')
  }
  await served(build, async (get) => {
    for (const key of ['ann', 7, '', null, {}, ['ann'], true]) {
      await left(get, '/', key)
      await left(get, '/send', key)
    }
  })
  const networks = Array.from({ length: 5 }, () => ['192.0.2.1', '192.0.2.1-mail'])
  expect(seen).toEqual(['ann', 'ann-mail', 7, '7-mail', ...networks.flat()])
})
