import { createLimiter, fixedWindow, type Key } from '@sluice/core'
import type { PolicyOptions, World } from './world.ts'

const limit = 2000

/** More than a scenario asks for, so that every answer shows how many requests came before it. */
export const wide: ReturnType<typeof fixedWindow> = fixedWindow({ limit, window: '10s' })

/** A limiter that counts by the client's network. */
export function byNetwork(world: World, more: Partial<PolicyOptions> = {}): PolicyOptions {
  return world.tickets({ key: undefined, policy: wide, ...more })
}

/** How much of each key's count is taken. */
export async function takenBy(world: World, ...keys: readonly Key[]): Promise<readonly number[]> {
  const limiter = createLimiter({ policy: wide, name: 'tickets', ...world.quiet() })
  const decisions = await Promise.all(keys.map((key) => limiter.peek(key)))
  await limiter.close()
  return decisions.map(({ remaining }) => limit - remaining)
}

/** The count that each request meets whose address a trusted proxy names: 1 for a client that is new. */
export async function countsBehindProxy(
  world: World,
  addresses: readonly string[],
  more: Partial<PolicyOptions> = {},
): Promise<number[]> {
  const client = await world.limited(byNetwork(world, more), { trust: 'one' })
  const counts: number[] = []
  for (const address of addresses) {
    const { headers } = await client.send({ headers: { 'X-Forwarded-For': address } })
    counts.push(limit - Number(headers['x-ratelimit-remaining']))
  }
  return counts
}
