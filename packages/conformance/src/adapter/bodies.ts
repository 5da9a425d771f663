import { expect } from '@jest/globals'
import { refusal, refused } from './replies.ts'
import type { Scenario } from './scenario.ts'
import type { Options } from './site.ts'
import { rowOf } from './world.ts'

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

/** What a refusal says, and what may be said instead. */
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
          const reply = await refusal(world, world.tickets({ name: `${way} ${body}`, onRefused }))
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
      const reply = await refusal(world, world.tickets({ onRefused }))
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
]
