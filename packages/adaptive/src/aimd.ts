import { type Algorithm, isUnused, manyDropped, type Window } from './algorithm.ts'

export interface AimdNumbers {
  readonly timeoutUs: number
  readonly backoff: number
  readonly increase: number
}

/**
 * Additive increase, multiplicative decrease: a window that is in time makes the limit larger by `increase`, one that is not makes it
 * smaller by the factor `backoff`.
 *
 * Netflix's concurrency-limits has the rule as `AIMDLimit`, for each sample; here it is applied to whole windows, so that one slow
 * request is not taken for a slow service.
 */
export class Aimd implements Algorithm {
  readonly unloadedUs = undefined
  readonly probes = false
  readonly #numbers: AimdNumbers

  constructor(numbers: AimdNumbers) {
    this.#numbers = numbers
  }

  next(limit: number, window: Window): number {
    const { timeoutUs, backoff, increase } = this.#numbers
    if (manyDropped(window) || window.latencyUs > timeoutUs) return limit * backoff
    return isUnused(limit, window) ? limit : limit + increase
  }
}
