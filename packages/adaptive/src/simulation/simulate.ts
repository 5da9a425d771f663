import type { Clock } from '@sluice/core'
import { EventHeap, type Timed } from './event-heap.ts'
import { exponential, seeded } from './random.ts'
import type { Scenario } from './scenario.ts'

// Test runners look a global up at each use, at a hundred times the cost.
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

/** Served jobs are removed from the queue once there are this many: removing them costs more than a request does. */
const longQueue = 10_000

interface Request {
  readonly arrivedUs: number
  /** How much work it is, relative to a mean of 1. */
  readonly work: number
}

/** A request that was admitted. `atUs` is when it is answered, once a worker has it. */
interface Job extends Timed {
  atUs: number
  readonly request: Request
  readonly place: { release(): unknown }
}

interface Counts {
  limit: number
  good: number
  late: number
  refused: number
}

/** All requests of a scenario, the earliest first: every admission meets the same ones, whatever it admits. */
export function requestsOf(scenario: Scenario, seed = 1): readonly Request[] {
  const random = seeded(seed)
  const requests: Request[] = []
  const endUs = scenario.seconds * 1e6
  const most = mostLoad(scenario)
  let atUs = 0
  for (;;) {
    atUs += max(1, round(exponential(1e6 / most, random)))
    const [kept, work] = [random() * most, exponential(1, random)]
    if (atUs >= endUs) return requests
    if (kept < scenario.load(atUs / 1e6)) requests.push({ arrivedUs: atUs, work })
  }
}

/** A queueing model in virtual time: independent arrivals, workers with exponential times, one queue in the order of arrival. */
export function simulate(
  scenario: Scenario,
  admissionOf: (clock: Clock) => Admission,
  { goalMs, requests = requestsOf(scenario) }: { goalMs: number; requests?: readonly Request[] },
): SimulatedRun {
  let nowUs = 0
  const admission = admissionOf({ nowUs: () => nowUs })
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
    for (let job = queue[served]; job !== undefined; job = queue[served]) {
      if (busy >= scenario.workers(nowUs / 1e6)) return
      served++
      busy++
      job.atUs = nowUs + round(job.request.work * scenario.serviceMs(nowUs / 1e6) * 1000)
      running.add(job)
    }
    if (served < longQueue) return
    queue.length = 0
    served = 0
  }

  function finishUntil(untilUs: number): void {
    for (let job = running.next(untilUs); job !== undefined; job = running.next(untilUs)) {
      nowUs = job.atUs
      busy--
      const { arrivedUs } = job.request
      const counts = seconds[floor(arrivedUs / 1e6)]
      if (counts !== undefined) counts[nowUs - arrivedUs <= goalMs * 1000 ? 'good' : 'late']++
      job.place.release()
      begin()
    }
    nowUs = untilUs
  }

  for (const request of requests) {
    finishUntil(request.arrivedUs)
    const counts = seconds[floor(nowUs / 1e6)]
    if (counts === undefined) continue
    counts.limit = admission.limit
    const place = admission.acquire()
    if (place === null) counts.refused++
    else queue.push({ atUs: nowUs, request, place })
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
