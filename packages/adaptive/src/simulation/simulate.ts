import type { Clock } from '@sluice/core'
import { EventHeap, type Timed } from './event-heap.ts'
import { exponential, seeded } from './random.ts'
import type { Scenario } from './scenario.ts'

// Runners of tests look a global up at each use, at a hundred times the price.
const { floor, max, round } = Math

/** What a service asks before it takes a request: an adaptive limit, or a fixed one. */
export interface Admission {
  readonly limit: number
  acquire(): { release(): unknown } | null
}

/** One second of a run. */
export interface Second {
  readonly limit: number
  /** Requests that came in it and were answered within the goal. */
  readonly good: number
  readonly late: number
  readonly refused: number
}

export interface SimulatedRun {
  readonly seconds: readonly Second[]
}

interface Job extends Timed {
  readonly arrivedUs: number
  /** What it asks of a worker, where the mean is 1. */
  readonly work: number
  readonly place: { release(): unknown }
}

interface Counts {
  limit: number
  good: number
  late: number
  refused: number
}

/** A queueing model in virtual time: independent arrivals, workers with exponential times, one queue in the order of arrival. */
export function simulate(
  scenario: Scenario,
  admissionOf: (clock: Clock) => Admission,
  { goalMs, seed = 1 }: { goalMs: number; seed?: number },
): SimulatedRun {
  let nowUs = 0
  const admission = admissionOf({ nowUs: () => nowUs })
  const random = seeded(seed)
  const seconds: Counts[] = Array.from({ length: scenario.seconds }, () => ({
    limit: 0,
    good: 0,
    late: 0,
    refused: 0,
  }))
  const running = new EventHeap<Job>()
  const queue: Job[] = []
  let served = 0
  let busy = 0

  function begin(): void {
    while (busy < scenario.workers(nowUs / 1e6)) {
      const job = queue[served]
      if (job === undefined) return
      served++
      busy++
      const takesUs = round(job.work * scenario.serviceMs(nowUs / 1e6) * 1000)
      running.add({ ...job, atUs: nowUs + takesUs })
    }
  }

  function finishUntil(untilUs: number): void {
    for (let job = running.next(untilUs); job !== undefined; job = running.next(untilUs)) {
      nowUs = job.atUs
      busy--
      const counts = seconds[floor(job.arrivedUs / 1e6)]
      if (counts !== undefined) counts[nowUs - job.arrivedUs <= goalMs * 1000 ? 'good' : 'late']++
      job.place.release()
      begin()
    }
    nowUs = untilUs
  }

  const endUs = scenario.seconds * 1e6
  const most = mostLoad(scenario)
  for (;;) {
    const arrivedUs = nowUs + max(1, round(exponential(1e6 / most, random)))
    // All are drawn, whatever is admitted: every admission meets the same requests.
    const [kept, work] = [random() * most, exponential(1, random)]
    if (arrivedUs >= endUs) break
    finishUntil(arrivedUs)
    const counts = seconds[floor(nowUs / 1e6)]
    if (kept >= scenario.load(nowUs / 1e6) || counts === undefined) continue
    counts.limit = admission.limit
    const place = admission.acquire()
    if (place === null) counts.refused++
    else queue.push({ atUs: nowUs, arrivedUs, work, place })
    begin()
  }
  finishUntil(Number.POSITIVE_INFINITY)
  return { seconds }
}

function mostLoad({ load, seconds }: Scenario): number {
  let most = 0
  for (let at = 0; at <= seconds; at++) most = max(most, load(at))
  return most
}
