import { Random } from '../random.ts'
import { drawCalls } from './draw-calls.ts'
import { drawFaults } from './draw-faults.ts'
import { drawScenario } from './draw-scenario.ts'
import type { Plan } from './plan.ts'

/** Calls come until then, or around a fault, and no fault begins later. */
export const callsUntilUs = 6_000_000

/** What a seed decides. */
export function drawPlan(seed: number): Plan {
  const random = new Random(seed)
  const scenario = drawScenario(random)
  const faults = drawFaults(random, scenario, callsUntilUs)
  const calls = drawCalls(random, { scenario, faults }, callsUntilUs)
  return { seed, scenario, calls, faults }
}
