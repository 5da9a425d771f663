import type { Random } from '../random.ts'
import { managedKey } from './managed.ts'
import type { CallPlan, FaultPlan, Operation, Scenario } from './plan.ts'

/** What a seed adds to a history. */
export interface Added {
  readonly calls: readonly Omit<CallPlan, 'nth'>[]
  readonly faults: readonly FaultPlan[]
}

const cuttable: readonly Operation[] = ['block', 'unblock', 'reset', 'set', 'penalize', 'reward', 'inspect']

/**
 * In some histories a process is cut off, or dies, while a change by hand is on its way to the server, is done, or its reply is on the way
 * back. Others ask for that key soon after.
 */
export function drawCuts(random: Random, scenario: Scenario, untilUs: number): Added {
  const isManaged = scenario.policies.every(({ strategy }) => strategy !== 'concurrency')
  const calls: Omit<CallPlan, 'nth'>[] = []
  const faults: FaultPlan[] = []
  if (!isManaged || !random.chance(0.15)) return { calls, faults }
  for (let cuts = random.whole(1, 3); cuts > 0; cuts--) {
    const atUs = random.whole(100_000, untilUs)
    const process = random.whole(0, scenario.processes - 1)
    const about = () => ({ key: managedKey, cost: random.whole(1, 3), ms: random.one([20, 150, 700]) })
    const soon = () => ({
      atUs: atUs + random.whole(0, 200_000),
      process: random.whole(0, scenario.processes - 1),
    })
    calls.push({ ...about(), operation: 'check', process, atUs: atUs - 20_000 })
    calls.push({ ...about(), operation: random.one(cuttable), process, atUs })
    const [shortestUs, longestUs] = [2 * scenario.wayUs, 2 * (scenario.wayUs + scenario.jitterUs)]
    faults.push(cut(random, process, atUs + random.whole(0, shortestUs + longestUs)))
    for (let after = random.whole(1, 4); after > 0; after--)
      calls.push({ ...about(), ...soon(), operation: random.one(['check', 'check', 'inspect']) })
  }
  return { calls, faults }
}

function cut(random: Random, process: number, atUs: number): FaultPlan {
  const forMs = random.one([5, 60, 400])
  return random.one<FaultPlan>([
    { kind: 'die', atUs, process },
    { kind: 'reset', atUs, process, forMs: 0 },
    { kind: 'half-open', atUs, process, forMs },
    { kind: 'stand-still', atUs, process, forMs },
  ])
}
