import { describe, expect, it } from '@jest/globals'
import {
  fixedWindow,
  gcra,
  memoryStore,
  multiWindow,
  type Policy,
  slidingWindowCounter,
  slidingWindowLog,
} from '@sluice/core'
import { checkOf, Process, Server, seeded, VirtualTime } from './virtual.ts'

const leaseUs = 20_000

interface Use {
  readonly atUs: number
  readonly cost: number
}

/** Some processes of uneven traffic over a few seconds, with pauses, deaths, slow calls and lost replies; answers all uses. */
async function historyOf(policy: Policy, seed: number): Promise<readonly Use[]> {
  const random = seeded(seed)
  const time = new VirtualTime()
  const server = new Server(time)
  const uses: Use[] = []
  const lossy = random() < 0.5 ? 0 : random() * 0.1
  const slowUs = 200 + random() * 15_000
  const trouble = {
    latencyUs: () => Math.floor(random() ** 4 * slowUs),
    losesReply: () => random() < lossy,
  }
  const untilUs = time.nowUs + 2_500_000
  const processes = Array.from({ length: 1 + Math.floor(random() * 5) }, () => {
    const offsetUs = Math.floor(random() * 1e12)
    return { process: new Process(server, leaseUs, { trouble, offsetUs }), rate: random() ** 2 * 3000 + 20 }
  })
  for (const { process, rate } of processes) {
    const arrive = () => {
      if (process.dead) return
      const cost = random() < 0.9 ? 1 : 1 + Math.floor(random() * 5)
      if (process.runs) process.ask([checkOf(policy, leaseUs, { cost })], (atUs) => uses.push({ atUs, cost }))
      const fate = random()
      if (fate < 0.0005) process.dead = true
      else if (fate < 0.002) process.pausedUntilUs = time.nowUs + Math.floor(random() * 200_000)
      time.at(time.nowUs + Math.floor((-Math.log(1 - random()) * 1e6) / rate), arrive)
    }
    time.at(time.nowUs + Math.floor(random() * 1e6), arrive)
  }
  await time.until(untilUs)
  return uses.sort((a, b) => a.atUs - b.atUs)
}

/** How many uses the policy itself, asked at their instants, would have refused. */
function refusedOf(policy: Policy, uses: readonly Use[]): number {
  let nowUs = 0
  const store = memoryStore({ clock: { nowUs: () => nowUs } })
  let refused = 0
  for (const { atUs, cost } of uses) {
    nowUs = atUs
    const check = { ...checkOf(policy, leaseUs, { cost }), policy }
    const [rows] = store.decide([
      { checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: true },
    ]) as readonly (readonly { allowed: boolean }[])[]
    if (rows?.[0]?.allowed !== true) refused++
  }
  return refused
}

/** The most in any window. */
function mostIn(windowUs: number, uses: readonly Use[]): number {
  let most = 0
  let sum = 0
  let first = 0
  for (const { atUs, cost } of uses) {
    sum += cost
    for (let old = uses[first]; old !== undefined && old.atUs <= atUs - windowUs; old = uses[++first])
      sum -= old.cost
    most = Math.max(most, sum)
  }
  return most
}

const seeds = Array.from(
  { length: Math.ceil(5 * Number(process.env.SLUICE_TEST_RUNS ?? 1)) },
  (_, i) => i + 1,
)

describe('however processes die, hang and miss replies, no more are admitted than the policy allows:', () => {
  it.each([
    ['slidingWindowLog', slidingWindowLog({ limit: 300, window: '1s' })],
    ['gcra', gcra({ count: 300, period: '1s', burst: 99 })],
    ['slidingWindowCounter', slidingWindowCounter({ limit: 300, window: '1s' })],
    ['fixedWindow', fixedWindow({ limit: 300, window: '1s', start: 'clock' })],
  ])('%s', async (_, policy) => {
    let admitted = 0
    for (const seed of seeds) {
      const uses = await historyOf(policy, seed)
      admitted += uses.length
      expect({ seed, refused: refusedOf(policy, uses) }).toEqual({ seed, refused: 0 })
    }
    // There was more traffic than the policy allows.
    expect(admitted).toBeGreaterThan(seeds.length * 300)
  })

  it('multiWindow', async () => {
    const limits = [
      { limit: 100, windowUs: 200_000 },
      { limit: 300, windowUs: 1_000_000 },
    ]
    const policy = multiWindow({
      limits: limits.map(({ limit, windowUs }) => ({ limit, window: windowUs / 1000 })),
    })
    for (const seed of seeds) {
      const uses = await historyOf(policy, seed)
      for (const { limit, windowUs } of limits) expect(mostIn(windowUs, uses)).toBeLessThanOrEqual(limit)
    }
  })
})
