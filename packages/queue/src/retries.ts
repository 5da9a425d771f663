import { waits } from '@sluice/core/internal'
import type { Outages } from './outages.ts'

const firstPauseMs = 100
const maxPauseMs = 5000

/** Repeats calls to a queue that does not answer, with growing pauses. */
export class Retries {
  readonly #outages: Outages
  readonly #sleepers: waits.Sleepers

  constructor(outages: Outages, sleepers: waits.Sleepers) {
    this.#outages = outages
    this.#sleepers = sleepers
  }

  /** Resolves to undefined if the signal is aborted before an answer, or after the last attempt. */
  async until<T>(
    call: () => Promise<T>,
    signal: AbortSignal,
    attempts: number = Number.POSITIVE_INFINITY,
  ): Promise<T | undefined> {
    for (let failures = 0; failures < attempts && !signal.aborted; failures++) {
      try {
        const answer = await call()
        this.#outages.answered()
        return answer
      } catch (error) {
        this.#outages.failed(error)
      }
      const pauseMs = Math.min(firstPauseMs * 2 ** failures, maxPauseMs)
      await this.sleep(waits.lengthened(pauseMs, pauseMs), signal)
    }
    return undefined
  }

  /** Ends early if the signal is aborted. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted) return
    await this.#sleepers.sleep(ms, signal).catch(() => {})
  }
}
