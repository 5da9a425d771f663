import { expect } from '@jest/globals'
import { fixedWindow, notApplicable, type Policy } from '@sluice/core'
import { changeable } from '../every-strategy.ts'
import type { Scenario } from './scenario.ts'
import type { Handler, Options } from './site.ts'
import { rowOf, twoIn10s } from './world.ts'

/** Which requests share a count, and which are not counted. */
export const counted: readonly Scenario[] = [
  {
    title: '39: an allow list is not counted, and sends no fields',
    async run(world) {
      const decisions: unknown[] = []
      const handler: Handler = ({ decision, send }) => {
        decisions.push(decision ?? null)
        send(200, 'ok')
      }
      const allowList = ['192.0.2.1', '198.51.100.0/24', '2001:db8::/32']
      const options = world.tickets({ key: undefined, allowList, headers: { draft: true } })
      const client = await world.open({ limits: [options], routes: [{ handler }], trust: 'one' })
      for (const address of ['192.0.2.1', '198.51.100.77', '::ffff:198.51.100.78', '2001:db8:7::1']) {
        for (let i = 0; i < 3; i++) {
          const reply = await client.send({ headers: { 'X-Forwarded-For': address } })
          expect(rowOf(reply)).toEqual([200, undefined, undefined, undefined, undefined])
          expect(reply.headers.ratelimit).toBeUndefined()
        }
      }
      expect(decisions).toEqual(Array(12).fill(null))
      expect(world.keys).toBe(0)
      const stranger = await client.send({ headers: { 'X-Forwarded-For': '192.0.2.2' } })
      expect(rowOf(stranger)).toEqual([200, '2', '1', '10', undefined])
    },
  },
  {
    title: '39: an address on both lists is denied',
    async run(world) {
      const client = await world.limited(
        world.tickets({ allowList: ['127.0.0.0/8'], denyList: ['127.0.0.1'] }),
      )
      expect((await client.send()).status).toBe(403)
    },
  },
  {
    title: '40: skip, at once and async',
    async run(world) {
      const ways: { readonly [name: string]: Options['skip'] } = {
        sync: (_, view) => view.header('x-key') === 'keeper',
        async: async (_, view) => view.header('x-key') === 'keeper',
      }
      for (const [name, skip] of Object.entries(ways)) {
        const client = await world.limited(world.tickets({ name, skip }))
        for (let i = 0; i < 3; i++) {
          const reply = await client.send({ by: 'keeper' })
          expect(rowOf(reply)).toEqual([200, undefined, undefined, undefined, undefined])
        }
        const statuses = [await client.send(), await client.send(), await client.send()].map(
          ({ status }) => status,
        )
        expect(statuses).toEqual([200, 200, 429])
      }
    },
  },
  {
    title: '46: a plan for each request: the count goes on under other numbers',
    async run(world) {
      let plan: 'free' | 'paid' | 'staff' = 'free'
      const paid = fixedWindow({ limit: 4, window: '10s' })
      const policy: Options['policy'] = async () =>
        plan === 'staff' ? notApplicable : plan === 'paid' ? paid : twoIn10s
      const client = await world.limited(world.tickets({ policy }))
      // biome-ignore format: a table
      const rows = [
        // plan    status  limit      remaining  reset      retry-after
        ['free',   200,    '2',       '1',       '10',      undefined],
        ['free',   200,    '2',       '0',       '10',      undefined],
        ['free',   429,    '2',       '0',       '10',      '10'],
        ['paid',   200,    '4',       '1',       '10',      undefined],
        ['staff',  200,    undefined, undefined, undefined, undefined],
        ['paid',   200,    '4',       '0',       '10',      undefined],
        ['free',   429,    '2',       '0',       '10',      '10'],
      ] as const
      for (const [next, ...expected] of rows) {
        plan = next
        expect(rowOf(await client.send())).toEqual(expected)
      }
    },
  },
  {
    title: 'a limit that changes while it runs: the count goes on under other numbers, in all fields',
    async run(world) {
      const changing: { now: Policy | undefined } = { now: undefined }
      const policy = changeable(twoIn10s, changing)
      const plan = () => policy
      const [fixed, chosen] = [
        await world.limited(world.tickets({ policy, headers: { draft: true } })),
        await world.limited(world.tickets({ name: 'plans', policy: plan, headers: { draft: true } })),
      ]
      // biome-ignore format: a table
      const rows = [
        // limit  status remaining
        [2,       200,   '1'],
        [4,       200,   '2'],
        [1,       429,   '0'],
        [2,       429,   '0'],
        [3,       200,   '0'],
        [0,       429,   '0'],
      ] as const
      for (const [limit, status, remaining] of rows) {
        changing.now = limit === 2 ? undefined : fixedWindow({ limit, window: '10s' })
        for (const client of [fixed, chosen]) {
          const reply = await client.send()
          expect(rowOf(reply).slice(0, 3)).toEqual([status, String(limit), remaining])
          expect(reply.headers['ratelimit-policy']).toMatch(new RegExp(`;q=${limit};w=10$`))
        }
      }
    },
  },
]
