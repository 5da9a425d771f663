import { describe, expect, it } from '@jest/globals'
import { fixedWindow, type Policy, slidingWindowLog } from '@sluice/core'
import type { Check } from '../../src/store.ts'
import { checkOf, Process, Server, seeded, VirtualTime } from './virtual.ts'

const aheadUs = 20_000
const windowUs = 1_000_000
const all = slidingWindowLog({ limit: 400, window: '1s' })
const own = slidingWindowLog({ limit: 120, window: '1s' })
const shadowed = fixedWindow({ limit: 10, window: '1s' })

interface Use {
  readonly atUs: number
  readonly user: number
}

/** Three processes ask for five users, of which the first asks for most. */
async function usedBy(seed: number, checksOf: (user: number) => readonly Check[]): Promise<readonly Use[]> {
  const random = seeded(seed)
  const time = new VirtualTime()
  const server = new Server(time)
  const trouble = {
    latencyUs: () => Math.floor(random() ** 4 * 10_000),
    losesReply: () => random() < 0.01,
  }
  const uses: Use[] = []
  for (let i = 0; i < 3; i++) {
    const process = new Process(server, aheadUs, { trouble, offsetUs: i * 1e9 })
    const arrive = () => {
      const user = Math.floor(random() ** 3 * 5)
      time.at(time.nowUs + Math.floor(-Math.log(1 - random()) * 2000), arrive)
      return process.ask(checksOf(user), (atUs) => uses.push({ atUs, user }))
    }
    time.at(time.nowUs, arrive)
  }
  await time.until(time.nowUs + 4 * windowUs)
  return uses.sort((a, b) => a.atUs - b.atUs)
}

function mostIn(uses: readonly Use[]): number {
  let first = 0
  let most = 0
  for (const [i, { atUs }] of uses.entries()) {
    while ((uses[first]?.atUs ?? atUs) <= atUs - windowUs) first++
    most = Math.max(most, i - first + 1)
  }
  return most
}

function checksWith(second: Policy, shadow: boolean): (user: number) => readonly Check[] {
  return (user) => [
    checkOf(all, aheadUs),
    { ...checkOf(second, aheadUs, { key: `user ${user}`, id: 'l:own' }), shadow },
  ]
}

/** Of histories with these seeds. */
export function provesTogether(histories: readonly number[]): void {
  describe('two policies of one request, with units of both taken ahead,', () => {
    it.each(histories)('are both kept, and all of the common one is used (history %d)', async (seed) => {
      const uses = await usedBy(seed, checksWith(own, false))
      for (let user = 0; user < 5; user++)
        expect(mostIn(uses.filter((use) => use.user === user))).toBeLessThanOrEqual(120)
      expect(mostIn(uses)).toBeLessThanOrEqual(400)
      expect(uses.length).toBeGreaterThan(4 * 0.85 * 400)
    })

    it.each(histories)('do not wait for one in shadow mode (history %d)', async (seed) => {
      const uses = await usedBy(seed, checksWith(shadowed, true))
      expect(mostIn(uses)).toBeLessThanOrEqual(400)
      expect(uses.length).toBeGreaterThan(4 * 0.85 * 400)
    })
  })
}
