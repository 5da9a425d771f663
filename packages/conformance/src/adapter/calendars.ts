import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { caught } from './caught.ts'
import type { Scenario } from './scenario.ts'
import { rowOf } from './world.ts'

const monthly = fixedWindow({ limit: 2, every: 'month', timeZone: 'UTC' })

/** Windows of the calendar that count from an instant of the request's own. */
export const calendars: readonly Scenario[] = [
  {
    title: 'a customer’s own month in all fields, and the policy’s own where the request has none',
    async run(world) {
      const options = world.tickets({
        policy: monthly,
        since: async (_, view) => view.header('x-since'),
        headers: { draft: true },
      })
      const client = await world.limited(options)
      // The clock stands at 22:13:20 on 14 November: 5 days and 6400 seconds are left to the 20th, 16 to December.
      const own = { 'X-Key': 'ada', 'X-Since': '2023-08-20T00:00:00Z' }
      const first = await client.send({ headers: own })
      expect(rowOf(first)).toEqual([200, '2', '1', '438400', undefined])
      expect(first.headers['ratelimit-policy']).toBe('"tickets";q=2;w=2678400')
      await client.send({ headers: own })
      expect(rowOf(await client.send({ headers: own }))).toEqual([429, '2', '0', '438400', '438400'])
      const other = await client.send({ headers: { 'X-Key': 'bob' } })
      expect(rowOf(other)).toEqual([200, '2', '1', '1388800', undefined])
      expect(other.headers['ratelimit-policy']).toBe('"tickets";q=2;w=2592000')
    },
  },
  {
    title: 'since when a period counts goes to the error handler where it is no instant',
    async run(world) {
      const errors = await caught(world, world.tickets({ policy: monthly, since: () => 'last month' }))
      const expected = { name: 'TypeError', code: 'SLUICE_OPTION', path: 'since' }
      expect(errors).toEqual(Array(3).fill(expect.objectContaining(expected)))
    },
  },
]
