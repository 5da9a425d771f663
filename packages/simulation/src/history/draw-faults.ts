import type { Random } from '../random.ts'
import type { FaultPlan, Scenario } from './plan.ts'

/** Draws the faults; a third of the histories have none. */
export function drawFaults(random: Random, scenario: Scenario, untilUs: number): readonly FaultPlan[] {
  const count = random.chance(0.3) ? 0 : random.whole(1, 5)
  // Some faults begin before the processes do.
  const whenUs = () => (random.chance(0.05) ? 0 : random.whole(0, untilUs))
  const faults = Array.from({ length: count }, () => drawFault(random, scenario, whenUs()))
  return faults.sort((a, b) => a.atUs - b.atUs)
}

export function drawFault(
  random: Random,
  { processes, apart, replicated }: Scenario,
  atUs: number,
): FaultPlan {
  const process = random.whole(0, processes - 1)
  const forMs = random.one([5, 60, 150, 400, 1200, 2600])
  const kinds: readonly (() => FaultPlan)[] = [
    () => ({ kind: 'delay', atUs, process, ms: random.one([5, 20, 40, 60, 75, 110, 180, 300]), forMs }),
    () => ({
      kind: 'lose',
      atUs,
      process,
      requests: random.one([0, 0.3, apart ? 1 : 0.1]),
      replies: random.one([0, 0.3, apart ? 1 : 0.1]),
      forMs,
    }),
    () => ({ kind: 'half-open', atUs, process, forMs }),
    () => ({ kind: 'reset', atUs, process, forMs: random.one([0, 0, forMs]) }),
    () => ({ kind: 'hang', atUs, forMs }),
    () => ({ kind: 'restart', atUs, forMs, keepsData: random.chance(0.5) }),
    () =>
      replicated
        ? { kind: 'fail-over', atUs, lagMs: random.one([0, 20, 300]), isNoticed: random.chance(0.7) }
        : { kind: 'flush-scripts', atUs },
    () => ({ kind: 'no-writes', atUs, why: random.one(['READONLY', 'OOM', 'MISCONF']), forMs }),
    () => ({ kind: 'busy', atUs, forMs }),
    () => ({ kind: 'flush-scripts', atUs }),
    () => ({ kind: 'server-clock', atUs, ms: random.one([-3_600_000, -700, -50, 50, 700, 3_600_000]) }),
    () => ({ kind: 'wall-clock', atUs, process, ms: random.one([-3_600_000, 3_600_000]) }),
    () => ({ kind: 'stand-still', atUs, process, forMs: random.one([15, 60, 150, 400, 1500]) }),
    () =>
      random.chance(0.4)
        ? { kind: 'die', atUs, process }
        : { kind: 'stand-still', atUs, process, forMs: 300 },
    () => (random.chance(0.3) ? { kind: 'flush', atUs } : { kind: 'hang', atUs, forMs }),
  ]
  return random.one(kinds)()
}
