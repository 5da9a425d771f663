import type { Scenario } from './scenario.ts'
import { type Admission, requestsOf, type SimulatedRun, simulate } from './simulate.ts'

/** A limit that always admits the same number at once. */
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

/** The fixed limits that are tried: each is at most a fifth below the next. */
const first = 10
const others: readonly number[] = [
  12, 14, 16, 18, 20, 22, 25, 28, 32, 36, 40, 45, 50, 60, 70, 80, 100, 120, 150, 180, 220, 260, 300,
]

export interface FixedRun {
  readonly limit: number
  readonly run: SimulatedRun
}

/** Runs of a scenario with fixed limits, from half of its workers to one that refuses nothing. */
export function fixedRuns(
  scenario: Scenario,
  { goalMs }: { goalMs: number },
): readonly [FixedRun, ...FixedRun[]] {
  const requests = requestsOf(scenario)
  const runOf = (limit: number): FixedRun => ({
    limit,
    run: simulate(scenario, () => new FixedLimit(limit), { goalMs, requests }),
  })
  const runs: [FixedRun, ...FixedRun[]] = [runOf(first)]
  for (const limit of others) {
    const each = runOf(limit)
    runs.push(each)
    // A higher limit would do the same.
    if (each.run.seconds.every(({ refused }) => refused === 0)) break
  }
  return runs
}

/** The fixed limit with the most answers in time to requests of these seconds: the one to set if they were known in advance. */
export function bestOf(
  runs: readonly [FixedRun, ...FixedRun[]],
  from = 0,
  until: number = Number.POSITIVE_INFINITY,
): FixedRun {
  let best = runs[0]
  for (const each of runs) if (goodIn(each.run, from, until) > goodIn(best.run, from, until)) best = each
  return best
}

/** The number of answers in time to requests that came in these seconds. */
export function goodIn(
  { seconds }: SimulatedRun,
  from = 0,
  until: number = Number.POSITIVE_INFINITY,
): number {
  return seconds.slice(from, until).reduce((sum, { good }) => sum + good, 0)
}
