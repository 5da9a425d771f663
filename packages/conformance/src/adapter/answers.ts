import { Readable } from 'node:stream'
import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import type { Scenario } from './scenario.ts'
import type { Handler } from './site.ts'
import { rowOf, signal } from './world.ts'

/** Whatever the application answers. */
export const answers: readonly Scenario[] = [
  {
    title: '13: what the application has set itself stays',
    async run(world) {
      const own = { 'X-RateLimit-Limit': '1000', 'Cache-Control': 'private' }
      const setOwn: Handler = (exchange) => {
        for (const [name, value] of Object.entries(own)) exchange.set(name, value)
      }
      const ahead = await world.limited(world.tickets(), { first: setOwn })
      const replies = [await ahead.send(), await ahead.send(), await ahead.send()]
      expect(replies.map(rowOf)).toEqual([
        [200, '1000', '1', '10', undefined],
        [200, '1000', '0', '10', undefined],
        [429, '1000', '0', '10', '10'],
      ])
      for (const { headers } of replies) expect(headers['cache-control']).toBe('private')
      const handler: Handler = (exchange) => {
        setOwn(exchange)
        exchange.send(200, 'ok')
      }
      const behind = await world.open({ limits: [world.tickets()], routes: [{ handler }] })
      expect(rowOf(await behind.send({ by: 'eve' }))).toEqual([200, '1000', '1', '10', undefined])
    },
  },
  {
    title: '13: so does its own field in front of two limiters',
    async run(world) {
      const first: Handler = ({ set }) => set('RateLimit', '"mine";r=5')
      const limits = [
        world.tickets({ name: 'a', headers: { draft: true } }),
        world.tickets({ name: 'b', headers: { draft: true } }),
      ]
      const client = await world.open({ first, limits })
      const { headers } = await client.send()
      expect(headers.ratelimit).toBe('"mine";r=5')
      expect(headers['ratelimit-policy']).toBe('"a";q=2;w=10, "b";q=2;w=10')
    },
  },
  {
    title: '14: streams, 304 and redirects carry the fields',
    async run(world) {
      const limits = [world.tickets({ policy: fixedWindow({ limit: 9, window: '10s' }) })]
      const handlers: { [path: string]: Handler } = {
        '/stream': ({ send }) => send(200, Readable.from(['to', 'ge', 'ther'])),
        '/same': ({ send }) => send(304),
        '/elsewhere': ({ set, send }) => {
          set('Location', '/tickets')
          send(302)
        },
      }
      const routes = Object.entries(handlers).map(([path, handler]) => ({ path, handler }))
      const client = await world.open({ limits, routes })
      // biome-ignore format: a table
      const rows = [
        // path         status  body        remaining
        ['/stream',     200,    'together', '8'],
        ['/same',       304,    '',         '7'],
        ['/elsewhere',  302,    '',         '6'],
      ] as const
      for (const [path, status, body, remaining] of rows) {
        const reply = await client.send({ path })
        expect([reply.status, reply.body, rowOf(reply)[2]]).toEqual([status, body, remaining])
      }
    },
  },
  {
    title: '16: no field about other origins',
    async run(world) {
      const client = await world.limited(world.tickets())
      for (const method of ['GET', 'OPTIONS', 'GET']) {
        const { headers } = await client.send({ method, headers: { Origin: 'https://example.com' } })
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      }
    },
  },
  {
    title: '17: HEAD refused: the fields and no body',
    async run(world) {
      const client = await world.limited(world.tickets())
      await client.crowd(2)
      const reply = await client.send({ method: 'HEAD' })
      expect(rowOf(reply)).toEqual([429, '2', '0', '10', '10'])
      expect(reply.headers['content-type']).toBe('application/problem+json')
      expect(reply.body).toBe('')
    },
  },
  {
    title: 'an answer that has begun: nothing of it is touched, and past the limit nobody goes on',
    async run(world) {
      const client = await world.limited(world.tickets(), {
        first: ({ raw }) => {
          raw.writeHead(200, { 'Content-Type': 'text/event-stream' })
          raw.write('begun ')
        },
        routes: [
          {
            path: '/tickets',
            limits: [],
            handler: ({ raw }) => {
              world.handled++
              raw.end('and ended')
            },
          },
        ],
      })
      for (let i = 0; i < 2; i++) {
        const reply = await client.send()
        expect([reply.status, reply.body, rowOf(reply)[1]]).toEqual([200, 'begun and ended', undefined])
      }
      await expect(client.send()).rejects.toThrow()
      expect(world.handled).toBe(2)
    },
  },
  {
    title: 'an answer given meanwhile, as on a timeout: a late refusal leaves it and its connection alone',
    async run(world) {
      const release = signal()
      const answered = signal()
      const decided = signal()
      const key = async () => {
        await release.promise
        return 'bob'
      }
      const onRefused = () => decided.done()
      const client = await world.limited(world.tickets({ cost: 3, key, onRefused }), {
        first: ({ raw }) => {
          if (raw.req.headers['x-late'] === undefined) return
          raw.statusCode = 503
          raw.end('too slow')
          answered.done()
        },
      })
      expect(await client.send({ headers: { 'X-Late': '1' } })).toMatchObject({
        status: 503,
        body: 'too slow',
      })
      const next = client.send()
      release.done()
      await decided.promise
      expect((await next).status).toBe(429)
      expect(world.handled).toBe(0)
    },
  },
]
