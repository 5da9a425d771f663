import type { Scenario } from './scenario.ts'
import { type Admission, type SimulatedRun, simulate } from './simulate.ts'

/** At most so many at once, always. */
export class FixedLimit implements Admission {
  readonly limit: number
  #inFlight = 0
  readonly #place = { release: () => this.#inFlight-- }

  constructor(limit: number) {
    this.limit = limit
  }

  acquire(): { release(): unknown } | null {
    if (this.#inFlight >= this.limit) return null
    this.#inFlight++
    return this.#place
  }
}

/** A fifth apart at most. */
const candidates: readonly number[] = [
  10, 12, 14, 16, 18, 20, 22, 25, 28, 32, 36, 40, 45, 50, 60, 70, 80, 100, 120, 150, 180, 220, 260, 300,
]

/** The fixed limit with the most answers within the goal: what who knew all in advance would set. */
export function bestFixedLimit(
  scenario: Scenario,
  about: { goalMs: number; seed?: number },
): { limit: number; run: SimulatedRun } {
  let best: { limit: number; run: SimulatedRun } | undefined
  for (const limit of candidates) {
    const run = simulate(scenario, () => new FixedLimit(limit), about)
    if (best === undefined || run.good > best.run.good) best = { limit, run }
  }
  if (best === undefined) throw new Error('no fixed limit was tried')
  return best
}
