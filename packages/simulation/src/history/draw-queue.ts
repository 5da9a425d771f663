import type { Random } from '../random.ts'
import type { FaultPlan, JobPlan, QueuePlan, Scenario } from './plan.ts'

/** How long all jobs of a history may take, one after another. */
const mostWorkMs = 12_000

interface Drawn {
  readonly queue: QueuePlan | undefined
  readonly jobs: readonly JobPlan[]
  readonly faults: readonly FaultPlan[]
}

/** Some histories have a queue, and each process a member of it. */
export function drawQueue(random: Random, scenario: Scenario, untilUs: number): Drawn {
  if (!random.chance(0.04)) return { queue: undefined, jobs: [], faults: [] }
  const { processes } = scenario
  const isLeft = processes > 1 && random.chance(0.3)
  const queue: QueuePlan = {
    limit: random.one([2, 6, 20]),
    concurrency: random.whole(1, 3),
    minIntervalMs: random.one([0, 0, 150]),
    idleClaimMs: random.one([1000, 1500]),
    maxAttempts: random.whole(2, 3),
    asksLimiter: canWait(scenario) && random.chance(0.5),
    leaves: isLeft
      ? {
          atUs: random.whole(0, untilUs),
          process: random.whole(0, processes - 1),
          timeoutMs: random.one([0, 300, 5000]),
        }
      : undefined,
  }
  const jobs: Omit<JobPlan, 'nth'>[] = []
  for (let clump = random.whole(1, 3); clump > 0; clump--) {
    const fromUs = random.whole(0, untilUs)
    const isBurst = random.chance(0.5)
    const withinUs = isBurst ? 1_000 : 300_000
    for (let count = random.whole(1, 6); count > 0; count--)
      jobs.push({
        atUs: fromUs + random.whole(0, withinUs),
        process: random.whole(0, processes - 1),
        // The jobs of a burst are short, so that it is worked off in time too.
        workMs: random.one(isBurst ? [1, 40, 400] : [1, 40, 400, 2500]),
        throws: random.one([0, 0, 0, 1, 3]),
      })
  }
  jobs.sort((a, b) => a.atUs - b.atUs)
  const faults = drawBlow(random, scenario, jobs)
  const isList = random.chance(0.4)
  const inTime = doneInTime(jobs, queue).map((job, nth) => ({ ...job, nth }))
  return { queue: { ...queue, isList }, jobs: inTime, faults }
}

/** The jobs that are done by the end of a history, whatever happens to their queue. */
function doneInTime<Job extends Omit<JobPlan, 'nth'>>(
  jobs: readonly Job[],
  { concurrency, maxAttempts }: QueuePlan,
): readonly Job[] {
  let leftMs = mostWorkMs * concurrency
  return jobs.filter(({ workMs, throws }) => {
    const ms = workMs * Math.min(throws + 1, maxAttempts)
    if (ms > leftMs) return false
    leftMs -= ms
    return true
  })
}

/** In half of these histories a fault hits a member with a job in hand. */
function drawBlow(
  random: Random,
  { processes }: Scenario,
  jobs: readonly Omit<JobPlan, 'nth'>[],
): readonly FaultPlan[] {
  if (random.chance(0.5)) return []
  const atUs = random.one(jobs).atUs + random.whole(0, 1_000_000)
  const process = random.whole(0, processes - 1)
  const forMs = random.one([150, 1200, 2600])
  const blows: readonly FaultPlan[] = [
    processes > 1 ? { kind: 'die', atUs, process } : { kind: 'hang', atUs, forMs },
    { kind: 'stand-still', atUs, process, forMs: 2600 },
    { kind: 'half-open', atUs, process, forMs },
    { kind: 'reset', atUs, process, forMs },
    { kind: 'restart', atUs, forMs, keepsData: random.chance(0.7) },
  ]
  return [random.one(blows)]
}

function canWait({ policies, charge, aheadMs }: Scenario): boolean {
  const waits = ['uniform', 'gcra', 'tokenBucket', 'leakyBucket']
  return (
    charge === 'all-or-nothing' && aheadMs === 0 && policies.every(({ strategy }) => waits.includes(strategy))
  )
}
