import { observing, oneOf } from '@sluice/core/internal'
import type { AdaptiveLimit } from './adaptive-limit.ts'
import type { Place } from './place.ts'
import { waitedMsOf } from './request-start.ts'
import type { Priority, Shed } from './shed.ts'
import { readSheddingOptions, type SheddingOptions, type SheddingSettings } from './shedding-options.ts'

/** What shedding does now, for metrics and for your own health check. */
export interface SheddingHealth {
  readonly limit: number
  readonly inFlight: number
  /** The mean latency of the last window; null before the first. */
  readonly latencyMs: number | null
  readonly eventLoopDelayMs: number
  /** Requests refused since the start, by priority and reason. */
  readonly refused: { readonly [priority in Priority]: { readonly [reason in Shed['reason']]: number } }
}

/** Headers as Node has them: by their names in lower case. */
interface NodeHeaders {
  readonly [name: string]: string | readonly string[] | undefined
}

function fieldOf(headers: NodeHeaders | Pick<Headers, 'get'>, name: string) {
  // A header that a client has named `get` is a text.
  return typeof headers.get === 'function' ? (headers.get(name) ?? undefined) : (headers as NodeHeaders)[name]
}

const noneRefused = () => ({ 'event-loop': 0, queueing: 0, limit: 0 })

const priorities = ['critical', 'default', 'sheddable'] as const

/** Admits requests by their priority while this process is busy. */
export class Shedding {
  readonly name: string
  readonly limit: AdaptiveLimit
  readonly #settings: SheddingSettings
  readonly #refused = { critical: noneRefused(), default: noneRefused(), sheddable: noneRefused() }

  constructor(settings: SheddingSettings) {
    this.name = settings.name
    this.limit = settings.limit
    this.#settings = settings
  }

  /** How late the event loop is. */
  get eventLoopDelayMs(): number {
    return this.#settings.loopDelay.delayMs
  }

  health(): SheddingHealth {
    const { limit, inFlight, latencyMs } = this.limit
    const { critical, default: usual, sheddable } = this.#refused
    const refused = { critical: { ...critical }, default: { ...usual }, sheddable: { ...sheddable } }
    return { limit, inFlight, latencyMs, eventLoopDelayMs: this.eventLoopDelayMs, refused }
  }

  /** A place, to be released when the work is over, or why there is none. `waitedMs`: how long it has waited before it came here. */
  admit(priority: Priority = 'default', waitedMs = 0): Place | Shed {
    const { eventLoopDelay, queueing, loopDelay } = this.#settings
    // Any priority other than `default` was given by the application, and may be any text.
    if (priority !== 'default') oneOf(priority, 'priority', priorities)
    if (eventLoopDelay !== undefined && loopDelay.delayMs > eventLoopDelay[priority])
      return this.#shed(priority, 'event-loop')
    if (queueing !== undefined && waitedMs > queueing.times[priority]) return this.#shed(priority, 'queueing')
    return this.limit.acquireUpTo(this.#places(priority)) ?? this.#shed(priority, 'limit')
  }

  /** How long a request has waited before it came here, as the header of `queueing` says; 0 without that option. */
  waitedMs(headers: NodeHeaders | Pick<Headers, 'get'>): number {
    const { queueing, nowMs } = this.#settings
    return queueing === undefined ? 0 : waitedMsOf(fieldOf(headers, queueing.header), nowMs())
  }

  /** Stops measuring the event loop: from then on it counts as never late. */
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
    this.#refused[priority][reason]++
    const [from, to] = retryAfterMs
    const shed: Shed = { allowed: false, priority, reason, retryAfterMs: from + (to - from) * random() }
    try {
      observing.Reports.ignore(onShed?.(shed))
    } catch {
      // There is nowhere to report an error of the listener.
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
