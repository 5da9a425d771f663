import { STATUS_CODES } from 'node:http'
import { expect } from '@jest/globals'
import { isRefusedError, type Observer } from '@sluice/core'
import { changingLists } from './changing-lists.ts'
import { refusal, refused } from './replies.ts'
import type { Scenario } from './scenario.ts'
import type { Options } from './site.ts'
import { rowOf } from './world.ts'

/** Refusals as errors, and the deny list. */
export const refusals: readonly Scenario[] = [
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
      const reply = await refusal(world, world.tickets({ refuseBy: 'error', headers: { draft: true } }))
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
      const reply = await refusal(world, world.tickets({ refuseBy: 'error', onRefused }))
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
      expect([world.handled, world.keys]).toEqual([0, 0])
    },
  },
  {
    title: '24: lists that change while it runs',
    async run(world) {
      const lists = changingLists()
      const client = await world.limited(world.tickets({ lists: [lists] }))
      lists.listed = { list: 'deny', endsInMs: 60_000 }
      const denied = await client.send()
      expect([denied.status, denied.headers['retry-after']]).toEqual([403, undefined])
      expect(JSON.parse(denied.body)).toMatchObject({ reason: 'denied' })
      lists.listed = { list: 'block', endsInMs: 59_001 }
      const blocked = await client.send()
      expect([blocked.status, blocked.headers['retry-after']]).toEqual([429, '60'])
      expect(JSON.parse(blocked.body)).toMatchObject({ reason: 'blocked', retryAfter: 60 })
      expect(world.handled).toBe(0)
      lists.listed = { list: 'allow', endsInMs: 60_000 }
      for (let i = 0; i < 3; i++) {
        const passed = await client.send()
        expect([passed.status, passed.headers['x-ratelimit-remaining']]).toEqual([200, undefined])
      }
      lists.listed = undefined
      expect((await client.send()).headers['x-ratelimit-limit']).toBeDefined()
      expect(world.handled).toBe(4)
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
        onError: (error, { send }) =>
          isRefusedError(error) ? send(error.status, error.message) : send(500, String(error)),
      })
      expect(await thrown.send()).toMatchObject({ status: 403, body: 'Forbidden' })
      const unhandled = await world.limited(world.tickets({ denyList, refuseBy: 'error' }))
      expect((await unhandled.send()).status).toBe(403)
    },
  },
]

function lower(headers: Readonly<Record<string, string>>): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
