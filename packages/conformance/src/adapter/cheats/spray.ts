import { expect } from '@jest/globals'
import { memoryStore } from '@sluice/core'
import type { Client } from '../client.ts'
import { exchange, headsOf, rawRequest } from '../raw.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'

const perWrite = 100
const keyBytes = 1024

/** Keys of 1 KiB, no two alike. */
function keyOf(i: number): string {
  return String(i).padStart(keyBytes, 'x')
}

/** Clients that have used up what they had; several, as one may be spared by luck. */
const exhausted = Array.from({ length: 10 }, (_, i) => `mallory ${i}`)

function statusesOf(client: Client): Promise<number[]> {
  return Promise.all(exhausted.map(async (by) => (await client.send({ by })).status))
}

/**
 * Sends so many requests, each under a key of 1 KiB of its own, and looks in between who is still refused. Answers by how much the
 * heap has grown, as `heap` measures it.
 */
export async function sprayed(
  world: World,
  { keys, maxKeys, heap }: { keys: number; maxKeys: number; heap(): number },
): Promise<number> {
  const store = memoryStore({ clock: world.clock, maxKeys })
  const client = await world.limited({ ...world.tickets(), store })
  for (const status of [200, 200, 429]) expect(await statusesOf(client)).toEqual(exhausted.map(() => status))
  const before = heap()
  for (let from = 0; from < keys; from += perWrite) {
    const requests = Array.from({ length: perWrite }, (_, i) =>
      rawRequest({ by: keyOf(from + i), connection: i === perWrite - 1 ? 'close' : 'keep-alive' }),
    )
    const heads = headsOf(await exchange(client, requests.join('')))
    expect(heads.filter(({ status }) => status === 200)).toHaveLength(perWrite)
    expect(await statusesOf(client)).toEqual(exhausted.map(() => 429))
    expect(store.health?.().keys).toBeLessThanOrEqual(maxKeys)
  }
  expect(world.handled).toBe(2 * exhausted.length + keys)
  return heap() - before
}

/** Clients that come under ever new names. */
export const spray: readonly Scenario[] = [
  {
    title: 'a spray of keys of 1 KiB: memory keeps its bound, and an exhausted key stays exhausted',
    async run(world) {
      // The heap is measured where many more are sprayed: to collect all garbage takes longer than these.
      await sprayed(world, { keys: 400, maxKeys: 100, heap: () => 0 })
    },
  },
]
