import type { Clock } from '@sluice/core'
import { waits } from '@sluice/core/internal'

/** Wakes members that wait for work: when there is some, when their time is up, or when they have to stop. */
export class Bell {
  readonly #sleepers: waits.Sleepers
  readonly #waiting = new Set<() => void>()

  constructor(clock: Clock) {
    this.#sleepers = new waits.Sleepers(Number.POSITIVE_INFINITY, clock)
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
      this.#sleepers.sleep(ms, awake.signal).then(wake, () => {})
    })
  }
}
