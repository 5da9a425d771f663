import { oneOf } from '@sluice/core/internal'
import type { AdaptiveLimit } from './adaptive-limit.ts'
import type { Place } from './place.ts'
import { waitedMsOf } from './request-start.ts'
import {
  type Priority,
  readSheddingOptions,
  type SheddingOptions,
  type SheddingSettings,
} from './shedding-options.ts'

/** A request that was refused to keep the others within their time. */
export interface Shed {
  readonly allowed: false
  readonly priority: Priority
  /** What was too much: the event loop was late, the request had waited, or no place was free. */
  readonly reason: 'event-loop' | 'queueing' | 'limit'
  /** When to come again: another time for each. */
  readonly retryAfterMs: number
}

const priorities = ['critical', 'default', 'sheddable'] as const

/** Admits requests by their priority while this process is busy. */
export class Shedding {
  readonly limit: AdaptiveLimit
  readonly #settings: SheddingSettings

  constructor(settings: SheddingSettings) {
    this.limit = settings.limit
    this.#settings = settings
  }

  /** How late the event loop is. */
  get eventLoopDelayMs(): number {
    return this.#settings.loopDelay.delayMs
  }

  /** A place, to be released when the work is over, or why there is none. `waitedMs`: how long it has waited before it came here. */
  admit(priority: Priority = 'default', waitedMs = 0): Place | Shed {
    const { eventLoopDelay, queueing, loopDelay } = this.#settings
    // Only a request that somebody has marked has another priority than `default`: it may be any text.
    if (priority !== 'default') oneOf(priority, 'priority', priorities)
    if (eventLoopDelay !== undefined && loopDelay.delayMs > eventLoopDelay[priority])
      return this.#shed(priority, 'event-loop')
    if (queueing !== undefined && waitedMs > queueing.times[priority]) return this.#shed(priority, 'queueing')
    return this.limit.acquireUpTo(this.#places(priority)) ?? this.#shed(priority, 'limit')
  }

  /** How long a request has waited before it came here, as the header of `queueing` says; 0 without that option. */
  waitedMs(headers: { readonly [name: string]: string | readonly string[] | undefined }): number {
    const { queueing, nowMs } = this.#settings
    return queueing === undefined ? 0 : waitedMsOf(headers[queueing.header], nowMs())
  }

  /** Ends what measures the event loop: from then on it is not late. */
  close(): void {
    this.#settings.loopDelay.close()
  }

  #places(priority: Priority): number {
    const { limit, max } = this.limit
    if (priority === 'critical') return max
    return priority === 'default' ? limit : limit * this.#settings.sheddableShare
  }

  #shed(priority: Priority, reason: Shed['reason']): Shed {
    const { random, retryAfterMs, onShed } = this.#settings
    const [from, to] = retryAfterMs
    const shed: Shed = { allowed: false, priority, reason, retryAfterMs: from + (to - from) * random() }
    try {
      onShed?.(shed)
    } catch {
      // There is nowhere to report an error of whoever watches.
    }
    return shed
  }
}

/**
 * Sheds load: refuses sheddable requests first, then default ones, and critical ones only at the hard bounds, by how late the event
 * loop is, by how long requests have waited before they came, and by the places of an adaptive limit.
 *
 * @example
 * const load = shedding({ limit: adaptiveLimit({ max: 100 }) })
 * const admitted = load.admit('sheddable')
 * if (!admitted.allowed) return tryAgainIn(admitted.retryAfterMs)
 */
export function shedding(options: SheddingOptions = {}): Shedding {
  return new Shedding(readSheddingOptions(options))
}
