import { expect } from '@jest/globals'
import type { Scenario } from './scenario.ts'
import type { Handler } from './site.ts'
import { rowOf, signal } from './world.ts'

/** Connections and servers that keep this process alive. */
function holding(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP')).length
}

async function untilNothingHolds(): Promise<void> {
  const end = performance.now() + 30_000
  while (holding() > 0 && performance.now() < end) await new Promise((resolve) => setImmediate(resolve))
  expect(holding()).toBe(0)
}

/** A server that is closed while requests are under way. */
export const closing: readonly Scenario[] = [
  {
    title: '51: closing answers what is in flight and leaves nothing behind',
    async run(world) {
      await untilNothingHolds()
      const reached = signal()
      const release = signal()
      const handler: Handler = async ({ send }) => {
        reached.done()
        await release.promise
        send(200, 'ok')
      }
      const client = await world.open({
        limits: [world.tickets({ settle: () => 0 })],
        routes: [{ handler }],
      })
      const held = client.send()
      await reached.promise
      const closed = world.running.close()
      release.done()
      expect(await held).toMatchObject({ status: 200, body: 'ok' })
      client.close()
      await closed
      await untilNothingHolds()
    },
  },
  {
    title: '51: closing while a decision is awaited: decided and answered',
    async run(world) {
      const reached = signal()
      const release = signal<string>()
      const key = () => {
        reached.done()
        return release.promise
      }
      const client = await world.limited(world.tickets({ key }))
      const held = client.send()
      await reached.promise
      const closed = world.running.close()
      release.done('bob')
      expect(rowOf(await held)).toEqual([200, '2', '1', '10', undefined])
      client.close()
      await closed
    },
  },
]
