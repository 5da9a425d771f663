import { setTimeout as realSleep } from 'node:timers/promises'
import type { Clock } from '@sluice/core'

/** Wakes members that wait for work: when there is some, when their time is up, or when they have to stop. */
export class Bell {
  readonly #sleep: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly #waiting = new Set<() => void>()

  constructor(clock: Clock) {
    this.#sleep = clock.sleep?.bind(clock) ?? ((ms, signal) => realSleep(ms, undefined, { signal }))
  }

  ring(): void {
    for (const wake of this.#waiting) wake()
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const awake = new AbortController()
      const wake = () => {
        this.#waiting.delete(wake)
        awake.abort()
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true, signal: awake.signal })
      this.#sleep(ms, awake.signal).then(wake, () => {})
    })
  }
}
