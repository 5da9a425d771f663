import { describe, expect, it } from '@jest/globals'
import {
  fixedWindow,
  multiWindow,
  type Policy,
  slidingWindowCounter,
  slidingWindowLog,
} from '../../src/index.ts'
import type { Change, Command, StoreRow } from '../../src/store.ts'
import { checkOf, Process, Server, seeded, VirtualTime } from './virtual.ts'

const aheadUs = 50_000
const limit = 500
/** Nothing comes back by itself. */
const window = '1h'

const policies: { readonly [strategy: string]: Policy } = {
  slidingWindowLog: slidingWindowLog({ limit, window }),
  fixedWindow: fixedWindow({ limit, window }),
  slidingWindowCounter: slidingWindowCounter({ limit, window }),
  multiWindow: multiWindow({ limits: [{ limit, window }] }),
}

/** Nothing is admitted of checks that begin in it. */
interface Closed {
  readonly fromUs: number
  toUs: number
}

interface Asked {
  readonly process: number
  readonly beganUs: number
  /** When its units were used. */
  readonly usedUs: number
}

/** The first of some processes blocks, fills and frees a key for which all of them ask; answers who was admitted, and when none may be. */
async function historyOf(policy: Policy, seed: number): Promise<{ admitted: Asked[]; closed: Closed[] }> {
  const random = seeded(seed)
  const time = new VirtualTime()
  const server = new Server(time)
  const slowUs = 200 + random() * 20_000
  const trouble = { latencyUs: () => Math.floor(random() ** 3 * slowUs), losesReply: () => false }
  const admitted: Asked[] = []
  const closed: Closed[] = []
  const check = checkOf(policy, aheadUs)
  const command = (op: Command['op'], more: Partial<Command> = {}): Command => ({ op, check, ...more })
  const taken = (byUnits: number): Change => ({ check, receipt: null, byUnits })

  async function closing(act: () => Promise<unknown>): Promise<void> {
    await act()
    closed.push({ fromUs: time.nowUs, toUs: Number.POSITIVE_INFINITY })
  }
  async function opening(process: Process): Promise<void> {
    for (const each of closed) each.toUs = Math.min(each.toUs, time.nowUs)
    await process.manage(command('unblock'))
    await process.manage(command('reset'))
  }
  const processes = 1 + Math.floor(random() * 3)
  async function actInTurn(process: Process): Promise<void> {
    for (;;) {
      await time.passing(Math.floor(random() * 150_000))
      // What others give back makes room in a full key, but not in a blocked one.
      const chance = processes > 1 ? 0 : random()
      if (chance < 0.4) await closing(() => process.manage(command('block', { us: 3_600e6 })))
      else if (chance < 0.7) await closing(() => process.manage(command('set', { units: limit })))
      else await closing(() => process.adjust([taken(limit)]))
      await time.passing(Math.floor(random() * 150_000))
      await opening(process)
    }
  }
  for (let i = 0; i < processes; i++) {
    const process = new Process(server, aheadUs, { trouble, offsetUs: i * 1e9 })
    const gapUs = 100 + random() * 5000
    const arrive = () => {
      const beganUs = time.nowUs
      time.at(beganUs + Math.floor(-Math.log(1 - random()) * gapUs), arrive)
      return process.ask([check], (usedUs) => admitted.push({ process: i, beganUs, usedUs }))
    }
    time.at(time.nowUs, arrive)
    if (i === 0) time.at(time.nowUs + 100_000, () => void actInTurn(process))
  }
  await time.until(time.nowUs + 2_500_000)
  return { admitted, closed }
}

/** Of histories with these seeds. */
export function provesActs(seeds: readonly number[]): void {
  describe('once an act has resolved, none of the checks that begin later is decided from units taken before it:', () => {
    it.each(Object.entries(policies))('%s', async (_, policy) => {
      for (const seed of seeds) {
        const { admitted, closed } = await historyOf(policy, seed)
        expect(closed.length).toBeGreaterThan(5)
        expect(admitted.length).toBeGreaterThan(limit / 2)
        // Another process has what it took before for that time.
        const late = admitted.filter(({ process, beganUs, usedUs }) =>
          closed.some(
            ({ fromUs, toUs }) => beganUs >= fromUs + (process === 0 ? 0 : aheadUs) && usedUs < toUs,
          ),
        )
        expect({ seed, late }).toEqual({ seed, late: [] })
      }
    })
  })

  describe('in the only process that asks, a look and inspect say what a check then does', () => {
    it.each(Object.entries(policies))('%s', async (_, policy) => {
      for (const seed of seeds)
        expect({ seed, wrong: await differencesOf(policy, seed) }).toEqual({ seed, wrong: [] })
    })
  })
}

/** One after the other: what is left by the looks and the checks of one process, and what it has been admitted. */
async function differencesOf(policy: Policy, seed: number): Promise<readonly object[]> {
  const random = seeded(seed)
  const time = new VirtualTime()
  const process = new Process(new Server(time), aheadUs, {
    // What was given back arrives before what is asked after it.
    trouble: { latencyUs: () => 0, losesReply: () => false },
    offsetUs: 0,
  })
  const wrong: object[] = []
  let used = 0

  async function asked(take: boolean, cost: number): Promise<StoreRow | undefined> {
    const check = checkOf(policy, aheadUs, { cost })
    const [row] = await process.units.answer({
      checks: [check],
      charge: 'all-or-nothing',
      maxWaitUs: 0,
      take,
    })
    return row
  }
  async function go(): Promise<void> {
    for (let i = 0; i < 2 * limit; i++) {
      const cost = random() < 0.8 ? 1 : 1 + Math.floor(random() * 6)
      const look = await asked(false, cost)
      const sight = (await process.manage({ op: 'inspect', check: checkOf(policy, aheadUs) })) as {
        row: StoreRow
      }
      const left = limit - used
      const row = await asked(true, cost)
      const fits = cost <= left
      if (fits) used += cost
      const said = [
        look?.allowed,
        look?.remaining,
        sight.row.allowed,
        sight.row.remaining,
        row?.allowed,
        row?.remaining,
      ]
      const right = [fits, left, left > 0, left, fits, limit - used]
      if (said.join() !== right.join()) wrong.push({ i, cost, said, right })
      if (random() < 0.2) await time.passing(Math.floor(random() * 3 * aheadUs))
      if (random() > 0.01) continue
      await process.manage({ op: 'reset', check: checkOf(policy, aheadUs) })
      used = 0
    }
  }
  const over = go()
  await time.until(time.nowUs + 600e6)
  await over
  return wrong
}
