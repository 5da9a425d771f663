import type { Decision } from '@sluice/core'
import type { RecordedEvent } from '../sink.ts'
import type { Timer } from '../timer.ts'
import { hashOf } from './key-hash.ts'
import { type Entry, entryMs, KeySample, slotMs } from './key-sample.ts'
import { textsOf } from './traffic-text.ts'

/** The most policies; further ones are left out. */
const mostPolicies = 1000
/** The most characters of both names together: longer ones would leave no room for requests in an event. */
const longestNames = 500

interface Place {
  readonly limiter: string
  readonly policy: string
  readonly sample: KeySample
}

export interface TrafficParts {
  /** Whose requests are kept: those of all limiters, or of those with these names. */
  readonly of: true | readonly string[]
  readonly nowMs: () => number
  readonly timer: Timer
  readonly write: (entry: RecordedEvent) => void
}

/** Keeps the requests of some keys of each policy, so that they can be replayed. */
export class TrafficRecording {
  readonly #parts: TrafficParts
  readonly #process = Math.random().toString(36).slice(2)
  readonly #limiters = new Map<string, Map<string, Place>>()
  #policies = 0
  #cancelTimer: (() => void) | undefined

  constructor(parts: TrafficParts) {
    this.#parts = parts
  }

  decided({ limiter, verdicts }: Decision): void {
    const { of, nowMs } = this.#parts
    if (of !== true && !of.includes(limiter)) return
    const now = nowMs()
    for (const name in verdicts) {
      const verdict = verdicts[name]
      if (verdict === undefined) continue
      const place = this.#place(limiter, name)
      const full = place?.sample.add(hashOf(verdict.key), verdict.cost, now)
      if (place !== undefined && full !== undefined) this.#write(place, full)
    }
    this.#cancelTimer ??= this.#parts.timer(entryMs, () => this.takeOut())
  }

  /** Writes the entries so far. */
  takeOut(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    for (const policies of this.#limiters.values())
      for (const place of policies.values()) {
        const entry = place.sample.takeOut()
        if (entry !== undefined) this.#write(place, entry)
      }
  }

  #write({ limiter, policy }: Place, entry: Entry): void {
    for (const text of textsOf({ limiter, policy, ...entry }, this.#process))
      this.#parts.write({ atMs: entry.fromSlot * slotMs, text })
  }

  #place(limiter: string, policy: string): Place | undefined {
    const known = this.#limiters.get(limiter)?.get(policy)
    if (known !== undefined) return known
    if (this.#policies >= mostPolicies || limiter.length + policy.length > longestNames) return undefined
    this.#policies++
    const place = { limiter, policy, sample: new KeySample() }
    const policies = this.#limiters.get(limiter) ?? new Map<string, Place>()
    this.#limiters.set(limiter, policies.set(policy, place))
    return place
  }
}
