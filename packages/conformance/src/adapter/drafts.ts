import { expect } from '@jest/globals'
import { concurrency, fixedWindow, gcra, multiWindow, notApplicable } from '@sluice/core'
import { type BareItem, parseDictionary, parseItem, parseList } from 'structured-headers'
import type { Reply } from './client.ts'
import { limitFieldsOf, parsed, repliesOf } from './replies.ts'
import type { Scenario } from './scenario.ts'
import { rowOf } from './world.ts'

const visitorAndAttraction = {
  visitor: fixedWindow({ limit: 5, window: '10s' }),
  attraction: fixedWindow({ limit: 2, window: '1m' }),
}

/** Quota and window of each policy, as a client of draft 6 or 7 reads them; undefined without the field. */
function quotasIn({ headers }: Reply): readonly (readonly [quota: unknown, window: unknown])[] | undefined {
  const field = headers['ratelimit-policy']
  if (field === undefined) return undefined
  return parseList(String(field)).map(([quota, parameters]) => {
    expect([...parameters.keys()]).toEqual(['w'])
    return [quota, parameters.get('w')]
  })
}

const wholeNumber = (value: BareItem | undefined) => {
  expect(Number.isInteger(value)).toBe(true)
  return value
}

/** Limit, remaining and reset, as a client of draft 6 reads them: each field is one whole number. */
function sixIn({ headers }: Reply): readonly unknown[] {
  return ['limit', 'remaining', 'reset'].map((name) => {
    const [value, parameters] = parseItem(String(headers[`ratelimit-${name}`]))
    expect(parameters.size).toBe(0)
    return wholeNumber(value)
  })
}

/** The same for draft 7: one dictionary. */
function sevenIn({ headers }: Reply): readonly unknown[] {
  const numbers = parseDictionary(String(headers.ratelimit))
  expect([...numbers.keys()]).toEqual(['limit', 'remaining', 'reset'])
  return [...numbers.values()].map(([value]) => wholeNumber(value as BareItem)) // no inner list is a whole number
}

const readers = { 6: sixIn, 7: sevenIn } as const
const older = [6, 7] as const

/** The fields of each version of draft-ietf-httpapi-ratelimit-headers. */
export const drafts: readonly Scenario[] = [
  {
    title: 'draft 6: a field for each number, byte by byte',
    async run(world) {
      const replies = await repliesOf(
        await world.limited(world.tickets({ headers: { x: false, draft: 6 } })),
        3,
      )
      const names = ['ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']
      expect(replies.map(limitFieldsOf)).toEqual([
        [...names].sort(),
        [...names].sort(),
        [...names, 'retry-after'].sort(),
      ])
      expect(replies.map(({ headers }) => names.map((name) => headers[name]))).toEqual([
        ['2;w=10', '2', '1', '10'],
        ['2;w=10', '2', '0', '10'],
        ['2;w=10', '2', '0', '10'],
      ])
    },
  },
  {
    title: 'draft 7: one field for the numbers, byte by byte',
    async run(world) {
      const replies = await repliesOf(
        await world.limited(world.tickets({ headers: { x: false, draft: 7 } })),
        3,
      )
      expect(replies.map(limitFieldsOf)).toEqual([
        ['ratelimit', 'ratelimit-policy'],
        ['ratelimit', 'ratelimit-policy'],
        ['ratelimit', 'ratelimit-policy', 'retry-after'],
      ])
      expect(replies.map(({ headers }) => [headers['ratelimit-policy'], headers.ratelimit])).toEqual([
        ['2;w=10', 'limit=2, remaining=1, reset=10'],
        ['2;w=10', 'limit=2, remaining=0, reset=10'],
        ['2;w=10', 'limit=2, remaining=0, reset=10'],
      ])
    },
  },
  {
    title: 'draft 8: what the newest draft has',
    async run(world) {
      const fieldsFor = async (draft: true | 8) => {
        const replies = await repliesOf(await world.limited(world.tickets({ headers: { draft } })), 1)
        return replies.map(({ headers }) => [headers['ratelimit-policy'], headers.ratelimit])
      }
      expect(await fieldsFor(8)).toEqual([['"tickets";q=2;w=10', '"tickets";r=1;t=10']])
      expect(await fieldsFor(true)).toEqual([['"tickets";q=2;w=10', '"tickets";r=0;t=10']])
    },
  },
  ...older.flatMap((draft): readonly Scenario[] => [
    {
      title: `draft ${draft}: beside the X- fields, and a refusal's reset is its Retry-After`,
      async run(world) {
        const policy = gcra({ count: 4, period: '10s' })
        const client = await world.limited(world.tickets({ policy, headers: { draft } }))
        await client.crowd(4)
        const reply = await client.send()
        expect(rowOf(reply)).toEqual([429, '4', '0', '10', '3'])
        expect([readers[draft](reply), quotasIn(reply)]).toEqual([[4, 0, 3], [[4, 10]]])
      },
    },
    {
      title: `draft ${draft}: several policies: the numbers of the binding one, the quotas of all`,
      async run(world) {
        const options = world.office({ policies: visitorAndAttraction, headers: { draft } })
        const replies = await repliesOf(await world.limited(options), 3)
        const quotas = [
          [5, 10],
          [2, 60],
        ] as const
        expect(replies.map((reply) => [reply.status, readers[draft](reply), quotasIn(reply)])).toEqual([
          [200, [2, 1, 60], quotas],
          [200, [2, 0, 60], quotas],
          [429, [2, 0, 60], quotas],
        ])
      },
    },
    {
      title: `draft ${draft}: of two policies of one quota the longer window is listed`,
      async run(world) {
        const policies = {
          second: fixedWindow({ limit: 5, window: '1s' }),
          minute: fixedWindow({ limit: 5, window: '1m' }),
          hour: fixedWindow({ limit: 50, window: '1h' }),
        }
        const options = world.office({ policies, headers: { draft } })
        const [reply] = await repliesOf(await world.limited(options), 1)
        expect(quotasIn(reply as Reply)).toEqual([
          [5, 60],
          [50, 3600],
        ])
      },
    },
    {
      title: `draft ${draft}: two limiters: the numbers of the binding one, each quota once`,
      async run(world) {
        const wide = world.tickets({ name: 'wide', policy: visitorAndAttraction.visitor, headers: { draft } })
        const tight = world.tickets({ name: 'tight', headers: { draft } })
        const longer = world.tickets({
          name: 'longer',
          policy: fixedWindow({ limit: 5, window: '1h' }),
          headers: { draft },
        })
        for (const limits of [
          [wide, tight, longer],
          [longer, tight, wide],
        ]) {
          const client = await world.open({ limits })
          const reply = await client.send({ by: String(limits[0] === wide) })
          expect([readers[draft](reply), quotasIn(reply)]).toEqual([
            [2, 1, 10],
            [
              [5, 3600],
              [2, 10],
            ],
          ])
        }
      },
    },
    {
      title: `draft ${draft}: limiters of one name need no names of their own, as no name is sent`,
      async run(world) {
        const other = { ...world.tickets({ headers: { draft } }), store: undefined }
        const client = await world.open({ limits: [world.tickets({ headers: { draft } }), other] })
        expect(readers[draft](await client.send())).toEqual([2, 1, 10])
      },
    },
    {
      title: `draft ${draft}: behind a limiter of another draft, that one's form for both`,
      async run(world) {
        const tickets = world.tickets({ headers: { draft } })
        const newest = world.tickets({ name: 'newest', headers: { draft: 8 } })
        const client = await world.open({ limits: [tickets, newest] })
        const reply = await client.send()
        expect([readers[draft](reply), quotasIn(reply)]).toEqual([[2, 1, 10], [[2, 10]]])
        const turned = await (await world.open({ limits: [newest, tickets] })).send()
        expect(parsed(turned.headers.ratelimit).map(([name]) => name)).toEqual(['newest', 'tickets'])
        expect(parsed(turned.headers['ratelimit-policy']).map(([name]) => name)).toEqual([
          'newest',
          'tickets',
        ])
      },
    },
    {
      title: `draft ${draft}: a shadow policy is in no field`,
      async run(world) {
        const options = world.office({
          policies: visitorAndAttraction,
          shadow: { attraction: true },
          headers: { draft },
        })
        const replies = await repliesOf(await world.limited(options), 3)
        const last = replies.at(-1) as Reply
        expect([last.status, readers[draft](last), quotasIn(last)]).toEqual([200, [5, 2, 10], [[5, 10]]])
        const alone = await world.limited(world.tickets({ name: 'alone', shadow: true, headers: { draft } }))
        expect(limitFieldsOf(await alone.send())).toEqual([])
      },
    },
    {
      title: `draft ${draft}: nothing counted: no field`,
      async run(world) {
        const options = world.tickets({ key: () => notApplicable, headers: { draft } })
        expect(limitFieldsOf(await (await world.limited(options)).send())).toEqual([])
      },
    },
    {
      title: `draft ${draft}: a cost that never fits has a reset all the same, and what truly remains`,
      async run(world) {
        const [reply] = await repliesOf(
          await world.limited(world.tickets({ cost: 3, headers: { draft } })),
          1,
        )
        expect(rowOf(reply as Reply)).toEqual([429, '2', '0', '0', undefined])
        expect([readers[draft](reply as Reply), quotasIn(reply as Reply)]).toEqual([[2, 2, 0], [[2, 10]]])
      },
    },
    {
      title: `draft ${draft}: requests in flight have no window, and so no item`,
      async run(world) {
        const policies = { atOnce: concurrency({ limit: 1, lease: '30s' }), ...visitorAndAttraction }
        const both = world.office({ policies, headers: { draft } })
        const alone = world.tickets({ name: 'alone', policy: policies.atOnce, headers: { draft } })
        const [first, second] = [await world.limited(both), await world.limited(alone)]
        const reply = await first.send()
        expect([readers[draft](reply), quotasIn(reply)]).toEqual([
          [1, 0, 30],
          [
            [5, 10],
            [2, 60],
          ],
        ])
        const bare = await second.send()
        expect([readers[draft](bare), quotasIn(bare)]).toEqual([[1, 0, 30], undefined])
      },
    },
    {
      title: `draft ${draft}: a window below a second is one, and of nested ones the longest`,
      async run(world) {
        const policies = {
          half: fixedWindow({ limit: 2, window: '500ms' }),
          nested: multiWindow({
            limits: [
              { limit: 20, window: '1500ms' },
              { limit: 100, window: '10500ms' },
            ],
          }),
        }
        const reply = await (await world.limited(world.office({ policies, headers: { draft } }))).send()
        expect([readers[draft](reply), quotasIn(reply)]).toEqual([
          [2, 1, 1],
          [
            [2, 1],
            [100, 11],
          ],
        ])
        expect(world.takeWarnings()).toEqual(['SLUICE_SHORT_TIME'])
      },
    },
  ]),
]
