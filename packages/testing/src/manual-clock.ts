import type { Clock, Duration } from '@sluice/core'
import { optionError, stepUs } from '@sluice/core/internal'
import { turn } from './turn.ts'

interface Sleeper {
  readonly wakesUs: number
  wake(): void
}

/**
 * A clock that stands still until it is advanced: tests of limits need no sleeping.
 *
 * @example
 * const clock = manualClock()
 * const limiter = createLimiter({ policy, store: memoryStore({ clock }) })
 * await clock.advance('10s')
 */
export function manualClock(...[given]: readonly never[]): Clock & { advance(by: Duration): Promise<void> } {
  if (given !== undefined)
    throw optionError('arguments[0]', 'nothing, as each clock begins at the same instant', given)
  let nowUs = 1_700_000_000_000_000
  /** To where it is being advanced. */
  let endUs = nowUs
  const sleepers = new Set<Sleeper>()

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const sleeper = { wakesUs: nowUs + Math.ceil(ms * 1000), wake: resolve }
      sleepers.add(sleeper)
      signal?.addEventListener(
        'abort',
        () => {
          sleepers.delete(sleeper)
          reject(signal.reason)
        },
        { once: true },
      )
    })
  }

  /** Wakes sleepers in the order of their instants, each at its own. Calls that do not wait for each other follow one another. */
  async function advance(by: Duration): Promise<void> {
    endUs += stepUs(by, 'by')
    const untilUs = endUs
    for (;;) {
      const next = [...sleepers].sort((a, b) => a.wakesUs - b.wakesUs)[0]
      if (next === undefined || next.wakesUs > untilUs) break
      nowUs = Math.max(nowUs, next.wakesUs)
      sleepers.delete(next)
      next.wake()
      await turn()
    }
    nowUs = Math.max(nowUs, untilUs)
  }

  return { nowUs: () => nowUs, sleep, advance }
}
