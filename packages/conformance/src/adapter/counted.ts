import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import type { Reply } from './client.ts'
import type { Scenario } from './scenario.ts'
import type { Handler, Options } from './site.ts'
import { type PolicyOptions, rowOf, twoIn10s, type World } from './world.ts'

const tenIn10s = fixedWindow({ limit: 10, window: '10s' })

/** Limited by address: a proxy in front says which. */
function byAddress(world: World, more: Parameters<World['tickets']>[0] = {}): Parameters<World['limited']> {
  return [world.tickets({ key: undefined, policy: tenIn10s, ...more }), { trust: 'one' }]
}

/** How often each of the addresses could have been the same client: the count that each request meets. */
async function countsOf(world: World, addresses: readonly string[], more = {}): Promise<number[]> {
  const client = await world.limited(...byAddress(world, more))
  const counts: number[] = []
  for (const address of addresses) {
    const reply = await client.send({ headers: { 'X-Forwarded-For': address } })
    counts.push(10 - Number(rowOf(reply)[2]))
  }
  return counts
}

function told(replies: readonly Reply[]): readonly unknown[] {
  return replies.map((reply) => [reply.status, rowOf(reply)[2]])
}

/** Every function of the options that a request meets before it is counted. */
const failing = {
  key: (fail: () => unknown): Partial<Options> => ({ key: fail as never }),
  cost: (fail: () => unknown): Partial<Options> => ({ cost: fail as never }),
  skip: (fail: () => unknown): Partial<Options> => ({ skip: fail as never }),
  policy: (fail: () => unknown): Partial<Options> => ({ policy: fail as never }),
  note: (fail: () => unknown): Partial<Options> => ({ note: fail as never }),
}

export const counted: readonly Scenario[] = [
  {
    title: '27: an IPv4 address and the same one mapped into IPv6 are one client',
    async run(world) {
      const spellings = ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201', '192.0.2.2']
      expect(await countsOf(world, spellings)).toEqual([1, 2, 3, 1])
    },
  },
  {
    title: '28: addresses of one /64 are one client, two networks are two',
    async run(world) {
      const addresses = ['2001:db8::1', '2001:DB8:0:0:ffff::2', '2001:db8:0:1::1', '2001:db8::3']
      expect(await countsOf(world, addresses)).toEqual([1, 2, 1, 3])
    },
  },
  {
    title: '29: by /48',
    async run(world) {
      const addresses = ['2001:db8::1', '2001:db8:0:1::1', '2001:db8:1::1']
      expect(await countsOf(world, addresses, { ipv6Prefix: 48 })).toEqual([1, 2, 1])
    },
  },
  {
    title: '35: an async key is awaited',
    async run(world) {
      const key: PolicyOptions['key'] = async (
        _: object,
        view: { header(name: string): string | undefined },
      ) => {
        await new Promise((resolve) => setImmediate(resolve))
        return view.header('x-key')
      }
      const client = await world.limited(world.tickets({ key }))
      const replies = [
        await client.send(),
        await client.send(),
        await client.send(),
        await client.send({ by: 'eve' }),
      ]
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 429, 200])
    },
  },
  ...Object.entries(failing).flatMap(([name, broken]): Scenario[] => [
    {
      title: `35, 40: a ${name} function that throws or rejects: the error handler, never unlimited`,
      async run(world) {
        const ways = {
          throws: () => {
            throw new Error('no answer')
          },
          rejects: async () => {
            throw new Error('no answer')
          },
        }
        for (const [way, fail] of Object.entries(ways)) {
          const errors: unknown[] = []
          const options = { ...world.tickets({ name: way }), ...broken(fail) } as Options // one function differs
          if (name === 'note' && way === 'rejects') continue // a note is never awaited
          const client = await world.limited(options, {
            onError: (error, { send }) => {
              errors.push(error)
              send(500, 'caught')
            },
          })
          for (let i = 0; i < 3; i++)
            expect(await client.send()).toMatchObject({ status: 500, body: 'caught' })
          expect(errors.map(String)).toEqual(Array(3).fill('Error: no answer'))
          const unhandled = await world.limited(options)
          expect((await unhandled.send()).status).toBe(500)
        }
        expect(world.handled).toBe(0)
      },
    },
  ]),
  {
    title: '36: a key of nothing is the network: neither shared by all nor unlimited',
    async run(world) {
      for (const [i, nothing] of [undefined, '', [], ['']].entries()) {
        const key: PolicyOptions['key'] = () => nothing
        const client = await world.limited(...byAddress(world, { name: `n${i}`, key, policy: twoIn10s }))
        const from = (address: string) => client.send({ headers: { 'X-Forwarded-For': address } })
        const replies = [
          await from('192.0.2.1'),
          await from('192.0.2.1'),
          await from('192.0.2.1'),
          await from('192.0.2.2'),
        ]
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 429, 200])
      }
    },
  },
  {
    title: '36: null for one policy: that one does not apply; nothing for one: its network',
    async run(world) {
      const policies = { visitor: twoIn10s, attraction: tenIn10s }
      const keys: { [path: string]: { visitor: string | null | undefined; attraction: string | null } } = {
        '/none': { visitor: null, attraction: 'tigers' },
        '/network': { visitor: undefined, attraction: 'tigers' },
        '/nobody': { visitor: null, attraction: null },
      }
      let path = ''
      const options = world.office({ policies, key: () => keys[path], headers: { draft: true } })
      const client = await world.limited(options)
      const fieldOf = async (next: string) => {
        path = next
        return (await client.send()).headers.ratelimit
      }
      expect(await fieldOf('/none')).toBe('"tickets.attraction";r=9;t=10')
      expect(await fieldOf('/network')).toBe('"tickets.visitor";r=1;t=10, "tickets.attraction";r=8;t=10')
      expect(await fieldOf('/nobody')).toBeUndefined()
      expect(await fieldOf('/network')).toBe('"tickets.visitor";r=0;t=10, "tickets.attraction";r=7;t=10')
    },
  },
  {
    title: '36: lists that only look alike are two clients',
    async run(world) {
      const lists = [
        ['a', 'b:c'],
        ['a:b', 'c'],
      ]
      let i = 0
      const client = await world.limited(world.tickets({ key: () => lists[i++ % 2] }))
      expect(told(await client.crowd(2))).toEqual([
        [200, '1'],
        [200, '1'],
      ])
    },
  },
  {
    title: 'a key may be a number, a bigint or a list; 7 and "7" are one',
    async run(world) {
      const keys = [7, '7', 7n, [7], ['7', 1], 7.5]
      let i = 0
      const client = await world.limited(world.tickets({ policy: tenIn10s, key: () => keys[i++] }))
      const counts: unknown[] = []
      for (const _ of keys) counts.push(10 - Number(rowOf(await client.send())[2]))
      expect(counts).toEqual([1, 2, 3, 4, 1, 1])
    },
  },
  {
    title: 'a record of keys is left as the key function gave it',
    async run(world) {
      const keys = Object.freeze({ visitor: 'bob', attraction: 'tigers' })
      let plan: 'free' | 'paid' = 'free'
      const policies = { visitor: () => (plan === 'free' ? twoIn10s : null), attraction: tenIn10s }
      const client = await world.limited(world.office({ policies, key: () => keys }))
      const statuses: number[] = []
      for (const next of ['free', 'paid', 'free', 'paid', 'free'] as const) {
        plan = next
        statuses.push((await client.send()).status)
      }
      expect(statuses).toEqual([200, 200, 200, 200, 429])
    },
  },
  {
    title: '37: one count for every method of a route',
    async run(world) {
      const limits = [world.tickets({ policy: tenIn10s })]
      const client = await world.open({ routes: [{ limits }] })
      const left: unknown[] = []
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'HEAD', 'GET'])
        left.push(rowOf(await client.send({ method }))[2])
      expect(left).toEqual(['9', '8', '7', '6', '5', '4'])
    },
  },
  {
    title: '38: however the path is spelt, one count by the matched route',
    async run(world) {
      const routes: (string | undefined)[] = []
      const key: PolicyOptions['key'] = (_: object, view: { route: string | undefined }) => {
        routes.push(view.route)
        return view.route
      }
      const limits = [world.tickets({ policy: tenIn10s, key })]
      const client = await world.open({ routes: [{ path: '/zoo/:animal', limits }] })
      let taken = 0
      for (const path of [
        '/zoo/tigers',
        '/zoo/tigers/',
        '//zoo/tigers',
        '/ZOO/TIGERS',
        '/zoo/%74igers',
        '/x/../zoo/tigers',
      ]) {
        const reply = await client.send({ path })
        if (reply.status === 404) continue
        taken++
        expect([path, ...rowOf(reply)]).toEqual([path, 200, '10', String(10 - taken), '10', undefined])
      }
      expect(taken).toBeGreaterThanOrEqual(2)
      expect(routes).toEqual(Array(taken).fill('/zoo/:animal'))
    },
  },
  {
    title: '39: an allow list is not counted and not told',
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
      expect(world.store.health?.().keys).toBe(0)
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
        plan === 'staff' ? null : plan === 'paid' ? paid : twoIn10s
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
]
