import { expect } from '@jest/globals'
import { fairShare } from '@sluice/core'
import type { Client } from './client.ts'
import type { Scenario } from './scenario.ts'
import type { World } from './world.ts'

const shared = { limit: 6, window: '10s' } as const
const basic = fairShare(shared)
const gold = fairShare({ ...shared, weight: 2 })

/** How many of eight requests of a customer pass. */
async function passed(client: Client, customer: string): Promise<number> {
  let count = 0
  for (let i = 0; i < 8; i++)
    if ((await client.send({ headers: { 'X-Customer': customer } })).status === 200) count++
  return count
}

async function ofTwoWindows(world: World): Promise<readonly number[]> {
  const client = await world.limited(
    world.tickets({
      policy: (_, view) => (view.header('x-customer') === 'gold' ? gold : basic),
      key: () => 'the search',
      note: (_, view) => view.header('x-customer') ?? '',
    }),
  )
  const first = [await passed(client, 'noisy'), await passed(client, 'gold')]
  await world.clock.advance('10s')
  return [...first, await passed(client, 'noisy'), await passed(client, 'gold')]
}

/** One limit for all customers, whom the note names; a policy of the request says how many shares one has. */
export const shares: readonly Scenario[] = [
  {
    title: 'a customer that comes first takes everything, and its share once another has asked',
    async run(world) {
      expect(await ofTwoWindows(world)).toEqual([6, 0, 2, 4])
    },
  },
]
