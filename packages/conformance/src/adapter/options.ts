import { expect } from '@jest/globals'
import { createLimiter, fixedWindow, gcra } from '@sluice/core'
import type { Scenario } from './scenario.ts'
import type { Options } from './site.ts'
import { rowOf, twoIn10s } from './world.ts'

/** Options that make no sense, and the path that the error names. */
const wrong: readonly (readonly [object, string])[] = [
  [{ policy: undefined }, 'policy'],
  [{ policy: 'gcra' }, 'policy'],
  [{ policy: gcra }, 'policy'],
  [{ policy: undefined, policies: {} }, 'policies'],
  [{ policy: undefined, policies: { visitor: gcra } }, 'policies.visitor'],
  [{ policy: undefined, policies: { visitor: 5 } }, 'policies.visitor'],
  [{ policies: { visitor: twoIn10s } }, 'policies'],
  [{ policy: undefined, policies: twoIn10s }, 'policies'],
  [{ policy: undefined, policies: [twoIn10s] }, 'policies'],
  [{ policy: { visitor: twoIn10s } }, 'policy'],
  [{ key: 'ip' }, 'key'],
  [{ cost: -1 }, 'cost'],
  [{ cost: 1.5 }, 'cost'],
  [{ cost: '2' }, 'cost'],
  [{ cost: null }, 'cost'],
  [{ cost: { defualt: 2 } }, 'cost.defualt'],
  [{ cost: { default: -2 } }, 'cost.default'],
  [{ note: 'text' }, 'note'],
  [{ since: new Date(0) }, 'since'],
  [{ skip: true }, 'skip'],
  [{ settle: 0 }, 'settle'],
  [{ onRefused: 'reject' }, 'onRefused'],
  [{ allowList: '10.0.0.0/8' }, 'allowList'],
  [{ allowList: ['10.0.0.1/8'] }, 'allowList[0]'],
  [{ denyList: ['::1', 'localhost'] }, 'denyList[1]'],
  [{ refuseBy: 'throw' }, 'refuseBy'],
  [{ headers: true }, 'headers'],
  [{ headers: { x: 'ms' } }, 'headers.x'],
  [{ headers: { draft: 9 } }, 'headers.draft'],
  [{ headers: { draft: 'draft-8' } }, 'headers.draft'],
  [{ headers: { drafts: true } }, 'headers.drafts'],
  [{ ipv6Prefix: 0 }, 'ipv6Prefix'],
  [{ ipv6Prefix: 129 }, 'ipv6Prefix'],
  [{ ipv6Prefix: '64' }, 'ipv6Prefix'],
  [{ name: '' }, 'name'],
  [{ store: {} }, 'store'],
  [{ charge: 'all' }, 'charge'],
  [{ shadow: 'yes' }, 'shadow'],
  [{ shadow: { defualt: true } }, 'shadow.defualt'],
  [{ onStoreFailure: 'open' }, 'onStoreFailure'],
  [{ tag: 0 }, 'tag'],
  [{ tag: 1.5 }, 'tag'],
  [{ tag: { defualt: 1 } }, 'tag.defualt'],
  [{ observers: {} }, 'observers'],
  [{ logger: {} }, 'logger'],
  [{ keyGenerator: () => 'bob' }, 'keyGenerator'],
  [{ max: 100 }, 'max'],
]

/** What is wrong is said when the limiter is made. */
export const options: readonly Scenario[] = [
  ...wrong.map(([more, path]): Scenario => {
    return {
      title: `options: ${JSON.stringify(more, (_, value) => (typeof value === 'function' ? 'a function' : value))} is an error about ${path}`,
      async run(world) {
        await expect(world.limited({ ...world.tickets(), ...more } as Options)).rejects.toMatchObject({
          code: 'SLUICE_OPTION',
          path,
        })
      },
    }
  }),
  {
    title: 'options: a ready limiter brings its own settings',
    async run(world) {
      const limiter = createLimiter({ policy: twoIn10s, ...world.quiet() })
      world.later(() => limiter.close())
      // biome-ignore format: a table
      const rows = [
        [{ limiter, name: 'mine' },            'name'],
        [{ limiter, policy: twoIn10s },        'policy'],
        [{ limiter, shadow: true },            'shadow'],
        [{ limiter: {} },                      'limiter'],
        [{ limiter: 'redis' },                 'limiter'],
        [{ limiter, cost: { visitor: 1 } },    'cost.visitor'],
      ] as const
      for (const [options, path] of rows) {
        await expect(world.limited(options as Options)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path })
      }
      const client = await world.limited({ limiter, key: () => 'bob' })
      expect(rowOf(await client.send())).toEqual([200, '2', '1', '10', undefined])
      expect((await limiter.peek('bob')).remaining).toBe(1)
    },
  },
  {
    title: 'options: two limiters of one name with other policies on one store ask for a name',
    async run(world) {
      const other = world.tickets({ policy: fixedWindow({ limit: 9, window: '1m' }) })
      const opened = world.open({ limits: [world.tickets(), other] })
      await expect(opened).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'name' })
    },
  },
]
