import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { exchange, headsOf, rawRequest } from '../raw.ts'
import type { Scenario } from '../scenario.ts'
import { type PolicyOptions, type World, xRemaining } from '../world.ts'

const limit = 25
const sent = 40

/** A limiter whose later requests know their keys sooner. */
function outOfOrder(world: World): Partial<PolicyOptions> {
  let waiting = sent
  const key: PolicyOptions['key'] = async () => {
    for (let turns = 3 * waiting--; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
    return 'bob'
  }
  return world.tickets({ key })
}

/** Clients that do not wait for answers. */
export const pipelined: readonly Scenario[] = [
  {
    title: '49: forty pipelined requests in one write: exactly the limit, in order',
    async run(world) {
      const policy = fixedWindow({ limit, window: '10s' })
      const client = await world.limited(world.tickets({ policy }))
      const kept = rawRequest({ connection: 'keep-alive' }).repeat(sent - 1)
      const heads = headsOf(await exchange(client, kept + rawRequest()))
      const expected = Array.from({ length: sent }, (_, i) =>
        i < limit ? [200, String(limit - 1 - i)] : [429, '0'],
      )
      expect(heads.map(({ status, fields }) => [status, fields[xRemaining]])).toEqual(expected)
      expect(world.handled).toBe(limit)
    },
  },
  {
    title:
      '49: forty pipelined requests whose keys come the later first: exactly the limit, each its own answer',
    async run(world) {
      const policy = fixedWindow({ limit, window: '10s' })
      const client = await world.open({
        limits: [{ ...outOfOrder(world), policy }],
        routes: [{ path: '/zoo/:animal', handler: ({ raw, send }) => send(200, `(${raw.req.url})`) }],
      })
      const paths = Array.from({ length: sent }, (_, i) => `/zoo/${i}`)
      const text = paths.map((target, i) =>
        rawRequest({ target, connection: i === sent - 1 ? 'close' : 'keep-alive' }),
      )
      const received = await exchange(client, text.join(''))
      expect(headsOf(received).map(({ status }) => status)).toEqual([
        ...Array(sent - limit).fill(429),
        ...Array(limit).fill(200),
      ])
      const answered = [...received.matchAll(/\((\/zoo\/\d+)\)/g)].map(([, path]) => path)
      expect(answered).toEqual(paths.slice(sent - limit))
    },
  },
]
