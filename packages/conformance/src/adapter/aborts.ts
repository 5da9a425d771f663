import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { aborted, closeOf, readAddress } from './aborting.ts'
import type { Scenario } from './scenario.ts'
import type { Handler } from './site.ts'
import { type PolicyOptions, signal, xRemaining } from './world.ts'

const tenIn10s = fixedWindow({ limit: 10, window: '10s' })

/** Clients that go before they are answered. */
export const aborts: readonly Scenario[] = [
  {
    title: '41: aborted before the decision, its address read: still charged, nothing is written',
    async run(world) {
      const reached = signal()
      const decided = signal()
      const observers = [{ decided: () => decided.done() }]
      const client = await world.limited(world.tickets({ policy: tenIn10s, observers }), {
        first: async (exchange) => {
          if (exchange.raw.req.headers['x-stay'] !== undefined) return
          readAddress(exchange)
          reached.done()
          await closeOf(exchange)
        },
      })
      aborted(client, reached.promise)
      await decided.promise
      const { headers } = await client.send({ headers: { 'X-Stay': '1' } })
      expect(headers[xRemaining]).toBe('8')
      world.takeWarnings()
    },
  },
  {
    title: '41: aborted while the key is looked up: still charged, refused or not',
    async run(world) {
      const reached = signal()
      const gone = signal()
      const decisions: boolean[] = []
      const twice = signal()
      const observers = [
        {
          decided: ({ allowed }: { allowed: boolean }) => {
            decisions.push(allowed)
            if (decisions.length === 2) twice.done()
          },
        },
      ]
      const key: PolicyOptions['key'] = async () => {
        reached.done()
        await gone.promise
        return 'bob'
      }
      const options = world.tickets({ policy: fixedWindow({ limit: 1, window: '10s' }), key, observers })
      const client = await world.limited(options, {
        first: (exchange) => void closeOf(exchange).then(gone.done),
      })
      aborted(client, reached.promise)
      aborted(client, reached.promise)
      await twice.promise
      expect(decisions).toEqual([true, false])
      await new Promise((resolve) => setImmediate(resolve))
    },
  },
  {
    title: '41: aborted after admission: the charge stays, and a late answer harms nothing',
    async run(world) {
      const reached = signal()
      const answered = signal()
      const handler: Handler = async (exchange) => {
        if (exchange.raw.req.headers['x-stay'] !== undefined) return exchange.send(200, 'ok')
        reached.done()
        await closeOf(exchange)
        exchange.send(200, 'too late')
        answered.done()
      }
      const client = await world.open({
        limits: [world.tickets({ policy: tenIn10s })],
        routes: [{ handler }],
      })
      aborted(client, reached.promise)
      await answered.promise
      const { headers } = await client.send({ headers: { 'X-Stay': '1' } })
      expect(headers[xRemaining]).toBe('8')
    },
  },
]
