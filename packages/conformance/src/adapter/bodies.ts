import { STATUS_CODES } from 'node:http'
import { expect } from '@jest/globals'
import { isRefusedError, type Observer } from '@sluice/core'
import type { Client, Reply } from './client.ts'
import type { Scenario } from './scenario.ts'
import type { Options } from './site.ts'
import { rowOf, type World } from './world.ts'

const sentence = 'Too many requests: try again in 10 seconds.'
const problem = {
  type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
  title: 'Request cannot be satisfied as assigned quota has been exceeded',
  status: 429,
  detail: sentence,
  'violated-policies': ['tickets'],
  reason: 'limited',
  retryAfter: 10,
}

/** The third request of a window of two. */
async function refused(client: Client, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  await client.crowd(2)
  return client.send({ headers })
}

async function refusalOf(world: World, options: Options): Promise<Reply> {
  return refused(await world.limited(options))
}

export const bodies: readonly Scenario[] = [
  {
    title: '20: problem details, unless the client prefers text',
    async run(world) {
      const client = await world.limited(world.tickets())
      await client.crowd(2)
      const accepts = ['*/*', 'application/json', 'application/problem+json', 'text/plain;q=0.5, */*']
      for (const headers of [{}, ...accepts.map((Accept) => ({ Accept }))]) {
        const reply = await client.send({ headers })
        expect(reply.headers['content-type']).toBe('application/problem+json')
        expect(JSON.parse(reply.body)).toEqual(problem)
      }
    },
  },
  {
    title: '20: nothing reveals a key',
    async run(world) {
      const client = await world.limited(world.tickets({ headers: { draft: true } }))
      for (let i = 0; i < 3; i++) {
        const { headers, body } = await client.send({ by: 'secret-token' })
        expect(JSON.stringify([headers, body])).not.toContain('secret-token')
      }
    },
  },
  {
    title: '21: text for those who prefer it',
    async run(world) {
      const client = await world.limited(world.tickets())
      await client.crowd(2)
      for (const Accept of ['text/plain', 'text/html', 'text/html,application/xhtml+xml,*/*;q=0.8']) {
        const reply = await client.send({ headers: { Accept } })
        expect([reply.headers['content-type'], reply.body]).toEqual(['text/plain; charset=utf-8', sentence])
      }
    },
  },
  {
    title: '22: another refusal, as onRefused returns it or changes it in place',
    async run(world) {
      const other = { status: 420, type: 'text/x-calm; v=1', body: 'Ruhig, 虎!' }
      for (const body of [other.body, '']) {
        const ways: { readonly [name: string]: Options['onRefused'] } = {
          returned: () => ({ ...other, body }),
          'returned later': async () => ({ ...other, body }),
          'changed in place': (_, __, refusal) => void Object.assign(refusal, other, { body }),
          'changed later': async (_, __, refusal) => void Object.assign(refusal, other, { body }),
        }
        for (const [way, onRefused] of Object.entries(ways)) {
          const reply = await refusalOf(world, world.tickets({ name: `${way} ${body}`, onRefused }))
          expect(rowOf(reply)).toEqual([420, '2', '0', '10', '10'])
          expect([reply.headers['content-type'], reply.body]).toEqual([other.type, body])
          expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(body)))
        }
      }
    },
  },
  {
    title: '22: onRefused sees the decision and the refusal',
    async run(world) {
      const seen: unknown[] = []
      const onRefused: Options['onRefused'] = (request, decision, { status, type }) => {
        seen.push(typeof request, decision.reason, decision.key, status, type)
      }
      const reply = await refusalOf(world, world.tickets({ onRefused }))
      expect(seen).toEqual(['object', 'limited', 'bob', 429, 'application/problem+json'])
      expect(JSON.parse(reply.body)).toEqual(problem)
    },
  },
  {
    title: '22: an onRefused that fails goes to the error handler and admits nobody',
    async run(world) {
      const failing: { readonly [name: string]: Options['onRefused'] } = {
        throws: () => {
          throw new Error('no refusal')
        },
        rejects: async () => {
          throw new Error('no refusal')
        },
      }
      for (const [name, onRefused] of Object.entries(failing)) {
        const errors: unknown[] = []
        const client = await world.limited(world.tickets({ name, onRefused }), {
          onError: (error, { send }) => {
            errors.push(error)
            send(500, 'caught')
          },
        })
        world.handled = 0
        const reply = await refused(client)
        expect([reply.status, reply.body, world.handled]).toEqual([500, 'caught', 2])
        expect(errors.map(String)).toEqual(['Error: no refusal'])
      }
    },
  },
  {
    title: '23: a refusal as an error for the error handler',
    async run(world) {
      const errors: unknown[] = []
      const client = await world.limited(world.tickets({ refuseBy: 'error' }), {
        onError: (error, { send }) => {
          errors.push(error)
          send(418, 'mine')
        },
      })
      const reply = await refused(client)
      expect([reply.status, reply.body, world.handled]).toEqual([418, 'mine', 2])
      expect(rowOf(reply).slice(1)).toEqual(['2', '0', '10', '10'])
      const [error] = errors
      if (!isRefusedError(error)) throw new Error('not a RefusedError')
      expect([error.status, error.statusCode, error.decision.key, error.message]).toEqual([
        429,
        429,
        'bob',
        'Too Many Requests',
      ])
      const { 'x-ratelimit-reset': reset, 'retry-after': retryAfter } = lower(error.headers)
      expect([reset, retryAfter]).toEqual(['10', '10'])
    },
  },
  {
    title: '23: nobody handles it: the client sees 429 with the fields',
    async run(world) {
      const reply = await refusalOf(world, world.tickets({ refuseBy: 'error', headers: { draft: true } }))
      expect(rowOf(reply)).toEqual([429, '2', '0', '10', '10'])
      expect([reply.headers.ratelimit, reply.headers['cache-control']]).toEqual([
        '"tickets";r=0;t=10',
        'no-store',
      ])
      expect(world.handled).toBe(2)
    },
  },
  {
    title: '23: an error says the status that onRefused chose',
    async run(world) {
      const onRefused: Options['onRefused'] = (_, __, refusal) => ({ ...refusal, status: 503, body: '{}' })
      const reply = await refusalOf(world, world.tickets({ refuseBy: 'error', onRefused }))
      expect([reply.status, reply.body]).toEqual([503, expect.stringContaining(STATUS_CODES[503] ?? '')])
    },
  },
  {
    title: '24: the deny list',
    async run(world) {
      const decided: unknown[] = []
      const observers: Observer[] = [
        { decided: ({ allowed, reason, source }) => decided.push([allowed, reason, source]) },
      ]
      const options = world.tickets({
        denyList: ['10.0.0.0/8', '127.0.0.1'],
        observers,
        headers: { draft: true },
      })
      const client = await world.limited(options)
      for (let i = 0; i < 3; i++) {
        const reply = await client.send()
        expect(rowOf(reply)).toEqual([403, undefined, undefined, undefined, undefined])
        expect([reply.headers['content-type'], reply.headers['cache-control']]).toEqual([
          'application/problem+json',
          'no-store',
        ])
        expect(JSON.parse(reply.body)).toEqual({
          type: 'about:blank',
          title: 'Forbidden',
          status: 403,
          detail: 'This request is not allowed.',
          reason: 'denied',
        })
        expect([reply.headers.ratelimit, reply.headers['ratelimit-policy']]).toEqual([undefined, undefined])
      }
      expect(decided).toEqual(Array(3).fill([false, 'denied', 'none']))
      expect([world.handled, world.store.health?.().keys]).toEqual([0, 0])
    },
  },
  {
    title: '24: a denied request meets onRefused and refuseBy as any refusal does',
    async run(world) {
      const denyList = ['127.0.0.0/8']
      const onRefused: Options['onRefused'] = (_, { reason }, refusal) => ({
        ...refusal,
        type: 'text/plain',
        body: reason,
      })
      const changed = await world.limited(world.tickets({ denyList, onRefused }))
      expect(await changed.send()).toMatchObject({ status: 403, body: 'denied' })
      const thrown = await world.limited(world.tickets({ denyList, refuseBy: 'error' }), {
        onError: (error, { send }) => send(isRefusedError(error) ? error.status : 500, String(error)),
      })
      expect(await thrown.send()).toMatchObject({ status: 403, body: 'Error: Forbidden' })
      const unhandled = await world.limited(world.tickets({ denyList, refuseBy: 'error' }))
      expect((await unhandled.send()).status).toBe(403)
    },
  },
]

function lower(headers: Readonly<Record<string, string>>): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
