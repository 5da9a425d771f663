import { type Algorithm, isUnused, manyDropped, type Window } from './algorithm.ts'

export interface GradientNumbers {
  readonly tolerance: number
  readonly queue: number
  readonly smoothing: number
  readonly probeEvery: number
  /** The least limit there is: a probe cuts no deeper. */
  readonly min: number
}

/** However slow a window was, the next limit is at least this share of the limit, as in Netflix's `Gradient2Limit`. */
const steepest = 0.5
/** The share of the limit that a probe leaves. */
const probed = 0.5

/**
 * The gradient of latency, by the formula of `Gradient2Limit` in Netflix's concurrency-limits:
 *
 *     gradient = clamp(tolerance × unloaded / latency, 0.5, 1)
 *     limit    = (1 − smoothing) × limit + smoothing × (limit × gradient + queue)
 *
 * There the unloaded latency is a long average, which under a lasting overload follows the queue, and which a service that has become
 * slower reaches after minutes. Here it is measured, as in `GradientLimit` of that library: every so many windows one is probed at half
 * the limit. Where half the limit still has a queue, the limit shrinks from probe to probe until it has none.
 */
export class Gradient implements Algorithm {
  readonly #numbers: GradientNumbers
  #unloadedUs: number | undefined
  /** Windows until the next probe. */
  #untilProbe: number
  /** The limit to go back to; undefined where the window is no probe. */
  #behindProbe: number | undefined

  constructor(numbers: GradientNumbers) {
    this.#numbers = numbers
    this.#untilProbe = numbers.probeEvery
  }

  get unloadedUs(): number | undefined {
    return this.#unloadedUs
  }

  get probes(): boolean {
    return this.#behindProbe !== undefined
  }

  next(limit: number, window: Window): number {
    const before = this.#behindProbe
    if (before === undefined) return this.#follow(limit, window)
    this.#behindProbe = undefined
    if (window.answered > 0) this.#unloadedUs = window.latencyUs
    return manyDropped(window) ? limit : before
  }

  #follow(limit: number, window: Window): number {
    const { tolerance, queue, smoothing } = this.#numbers
    const unused = isUnused(limit, window)
    const unloadedUs = this.#learn(window, unused)
    if (unused && !manyDropped(window)) return limit
    const bearableUs = tolerance * unloadedUs
    // Both are 0 where the clock stands still, as in tests and in Workers without I/O.
    const ratio = window.latencyUs <= bearableUs ? 1 : bearableUs / window.latencyUs
    const gradient = manyDropped(window) ? steepest : Math.max(steepest, ratio)
    const next = limit * (1 - smoothing) + (limit * gradient + queue) * smoothing
    if (--this.#untilProbe > 0) return next
    this.#untilProbe = this.#numbers.probeEvery
    this.#behindProbe = Math.max(next, this.#numbers.min)
    return Math.max(next * probed, this.#numbers.min)
  }

  /** Only a window without a queue says that the service has become slower; any may say that it has become faster. */
  #learn({ answered, latencyUs }: Window, unused: boolean): number {
    const known = this.#unloadedUs ?? latencyUs
    if (answered === 0) return known
    const { smoothing } = this.#numbers
    this.#unloadedUs = unused || latencyUs < known ? known + (latencyUs - known) * smoothing : known
    return this.#unloadedUs
  }
}
