import { expect } from '@jest/globals'
import { fixedWindow, notApplicable } from '@sluice/core'
import type { Scenario } from './scenario.ts'
import { type PolicyOptions, rowOf, twoIn10s } from './world.ts'

const tenIn10s = fixedWindow({ limit: 10, window: '10s' })

/** What a key function may answer. */
export const keys: readonly Scenario[] = [
  {
    title: '36: a key of nothing is the network: neither shared by all nor unlimited',
    async run(world) {
      for (const [i, nothing] of [undefined, null, '', [], ['']].entries()) {
        const key: PolicyOptions['key'] = () => nothing
        const client = await world.limited(world.tickets({ name: `n${i}`, key }), { trust: 'one' })
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
    title: '36: notApplicable for one policy: that one does not apply; nothing or null for one: its network',
    async run(world) {
      const policies = { visitor: twoIn10s, attraction: tenIn10s }
      const keys = {
        '/none': { visitor: notApplicable, attraction: 'tigers' },
        '/network': { visitor: undefined, attraction: 'tigers' },
        '/null': { visitor: null, attraction: 'tigers' },
        '/nobody': { visitor: notApplicable, attraction: notApplicable },
      }
      let path: keyof typeof keys = '/none'
      const options = world.office({ policies, key: () => keys[path], headers: { draft: true } })
      const client = await world.limited(options)
      const fieldOf = async (next: keyof typeof keys) => {
        path = next
        return (await client.send()).headers.ratelimit
      }
      expect(await fieldOf('/none')).toBe('"tickets.attraction";r=9;t=10')
      expect(await fieldOf('/network')).toBe('"tickets.visitor";r=1;t=10, "tickets.attraction";r=8;t=10')
      expect(await fieldOf('/nobody')).toBeUndefined()
      expect(await fieldOf('/null')).toBe('"tickets.visitor";r=0;t=10, "tickets.attraction";r=7;t=10')
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
      expect((await client.crowd(2)).map((reply) => rowOf(reply)[2])).toEqual(['1', '1'])
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
      const policies = { visitor: () => (plan === 'free' ? twoIn10s : notApplicable), attraction: tenIn10s }
      const client = await world.limited(world.office({ policies, key: () => keys }))
      const statuses: number[] = []
      for (const next of ['free', 'paid', 'free', 'paid', 'free'] as const) {
        plan = next
        statuses.push((await client.send()).status)
      }
      expect(statuses).toEqual([200, 200, 200, 200, 429])
    },
  },
]
