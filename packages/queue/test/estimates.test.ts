import { expect, test } from '@jest/globals'
import { type Measure, measureFinish, unmeasured, waitMs } from '../src/drain.ts'

const second = 1_000_000
const workers = 8

/** Numbers between 0 and 1, the same in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** When jobs come: some at once, so that there is something to measure, then with random gaps, and a burst between. */
function arrivals(perSecond: number, burst: number, random: () => number): readonly number[] {
  const instants: number[] = Array.from({ length: 100 }, () => 0)
  for (let at = 0; instants.length < 3000; ) {
    at += (-Math.log(1 - random()) * second) / perSecond
    instants.push(at)
    if (instants.length === 1500) instants.push(...Array.from({ length: burst }, () => at))
  }
  return instants
}

/** Eight workers, and jobs that take them about a second, in virtual time. */
class Workshop {
  measure: Measure = unmeasured
  readonly #freeAt: number[] = Array.from({ length: workers }, () => 0)
  /** Not done, by their ends. */
  readonly #jobs: { readonly endsAt: number; readonly workedUs: number }[] = []

  get length(): number {
    return this.#jobs.length
  }

  /** When it will be done. */
  offer(at: number, workedUs: number): number {
    if (this.#jobs.length === 0) this.measure = { ...this.measure, sinceUs: at }
    const worker = this.#freeAt.indexOf(Math.min(...this.#freeAt))
    const endsAt = Math.max(this.#freeAt[worker] ?? 0, at) + workedUs
    this.#freeAt[worker] = endsAt
    this.#jobs.push({ endsAt, workedUs })
    this.#jobs.sort((a, b) => a.endsAt - b.endsAt)
    return endsAt
  }

  workUntil(at: number): void {
    for (let [next] = this.#jobs; next !== undefined && next.endsAt <= at; [next] = this.#jobs) {
      this.#jobs.shift()
      const waiting = this.#jobs.length >= workers
      this.measure = measureFinish(this.measure, next.endsAt, { workedUs: next.workedUs, waiting })
    }
  }
}

/** The median of stated ÷ real, over all waits that were stated. */
function statedByReal(perSecond: number, burst: number): number {
  const random = numbersFrom(7)
  const workshop = new Workshop()
  const ratios: number[] = []
  for (const at of arrivals(perSecond, burst, random)) {
    workshop.workUntil(at)
    const statedMs = waitMs(workshop.measure, at, workshop.length + 1)
    const endsAt = workshop.offer(at, second * (0.5 + random()))
    if (statedMs !== null) ratios.push((statedMs * 1000) / (endsAt - at))
  }
  return ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN
}

// biome-ignore format: a table
test.each([
  // jobs a second, of which eight workers do eight   burst
  [2.4,                                                 0],
  [2.4,                                               200],
  [7.2,                                                 0],
  [8.2,                                                 0],
])('waits stated at %s jobs a second with a burst of %i are the real ones, but for a fifth', (perSecond, burst) => {
  const ratio = statedByReal(perSecond, burst)
  expect(ratio).toBeGreaterThan(0.8)
  expect(ratio).toBeLessThan(1.2)
})
