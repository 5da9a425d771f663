import { expect } from '@jest/globals'
import { type Limits, loadLimits } from '@sluice/limits'
import type { Reply } from './client.ts'
import { parsed, repliesOf } from './replies.ts'
import type { Scenario } from './scenario.ts'
import type { Options } from './site.ts'
import { rowOf, type World } from './world.ts'

const tree = {
  schema: {
    user: {
      children: {
        '*': {
          limits: { strategy: 'fixedWindow', limit: 3, window: '10s' },
          children: {
            trade: { limits: { strategy: 'fixedWindow', limit: 2, window: '1m' } },
            admin: { limits: 'deny' },
          },
        },
      },
    },
  },
}

/** A tree on the world's store: the user stands in `X-Key`, the action in `X-Action`. */
async function loaded(world: World): Promise<Options & { limiter: Limits }> {
  const limiter = await loadLimits({ tree, ...world.quiet() })
  world.later(() => limiter.close())
  const key: Options['key'] = (_, view) =>
    ['user', view.header('x-key'), view.header('x-action')].filter(Boolean)
  return { limiter, key, headers: { draft: true } } as Options & { limiter: Limits }
}

function violated({ body }: Reply): unknown {
  return JSON.parse(body)['violated-policies']
}

/** A tree of limits is a limiter like any other. */
export const trees: readonly Scenario[] = [
  {
    title: 'a tree of limits: the binding level in the fields, the violated ones in the body',
    async run(world) {
      const client = await world.limited(await loaded(world))
      const trade = { 'x-key': 'alex', 'x-action': 'trade' }
      const replies: Reply[] = []
      for (let i = 0; i < 4; i++) replies.push(await client.send({ headers: trade }))
      expect(replies.map(rowOf)).toEqual([
        [200, '2', '1', '60', undefined],
        [200, '2', '0', '60', undefined],
        [429, '2', '0', '60', '60'],
        [429, '2', '0', '60', '60'],
      ])
      expect(replies.map(({ headers }) => parsed(headers.ratelimit).map(([name]) => name))).toEqual(
        Array(4).fill(['user/*', 'user/*/trade']),
      )
      expect(violated(replies[2] as Reply)).toEqual(['user/*/trade'])
      // While trade refuses the user goes on being charged: every level for itself.
      expect(violated(replies[3] as Reply)).toEqual(['user/*', 'user/*/trade'])
    },
  },
  {
    title: 'a tree of limits: a place that denies is 403, and says nothing of limits',
    async run(world) {
      const client = await world.limited(await loaded(world))
      const reply = await client.send({ headers: { 'x-key': 'alex', 'x-action': 'admin' } })
      expect(rowOf(reply)).toEqual([403, undefined, undefined, undefined, undefined])
      expect(JSON.parse(reply.body)).toMatchObject({ status: 403, reason: 'denied' })
      expect(world.handled).toBe(0)
    },
  },
  {
    title: 'a tree of limits: a path that meets none passes without a field, and is reported',
    async run(world) {
      const options = await loaded(world)
      const client = await world.limited({ ...options, key: () => ['elsewhere'] } as Options)
      const [reply] = await repliesOf(client, 1)
      expect(rowOf(reply as Reply)).toEqual([200, undefined, undefined, undefined, undefined])
      expect(world.takeWarnings()).toEqual(['SLUICE_LIMITS_UNMATCHED'])
    },
  },
]
