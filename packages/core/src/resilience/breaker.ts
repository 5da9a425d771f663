import { unref } from '../runtime.ts'
import type { StoreEvent } from '../store.ts'
import { ranMs } from '../waiting/deadlines.ts'

/** Consecutive rounds of failures that open the circuit. One slow moment is a single round, however many requests it meets. */
const roundsToOpen = 3
/**
 * The rounds must also span at least this time without a success: while one server of a cluster is away the others still answer, and
 * immediate failures arrive faster than answers. A pause of this process after the first failure does not count: it hears no answer then.
 */
const silenceMs = 100
/** Pause before a probe, lengthened by up to a fifth so that many processes do not probe together. */
const probeEveryMs = 500

function pauseMs(): number {
  return probeEveryMs * (1 + Math.random() / 5)
}

/**
 * Decides whether a store is asked. While the circuit is open the store is spared, and one probe at a time checks whether it answers
 * again. A probe also follows any failure before that, so that an outage and its end are noticed without traffic. Where no timer may
 * outlive a request there is no probe: one question at a time goes to the store instead.
 */
export class Breaker {
  readonly #probe: (() => Promise<void>) | undefined
  readonly #report: (event: Omit<StoreEvent, 'store'>) => void
  #rounds = 0
  #countedAt = Number.NEGATIVE_INFINITY
  #failingSince = 0
  #open = false
  /** An outage was reported. Its end is reported only when a question or two probes have succeeded. */
  #outage = false
  #probing = false
  #changedAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  /** Without a probe: when the next question may go to the store, by `performance.now()`. */
  #lookAt = 0
  #stopped = false

  constructor(probe: (() => Promise<void>) | undefined, report: (event: Omit<StoreEvent, 'store'>) => void) {
    this.#probe = probe
    this.#report = report
  }

  get open(): boolean {
    return this.#open
  }

  /** Whether a question is to be answered without the store. Without a probe, one question after each pause goes to the store. */
  spares(): boolean {
    if (!this.#open || this.#probe !== undefined) return this.#open
    const now = performance.now()
    if (now < this.#lookAt) return true
    this.#pause(now)
    this.#probing = true
    this.#report({ kind: 'half-open', sinceMs: this.sinceMs })
    return false
  }

  get state(): 'closed' | 'half-open' | 'open' {
    if (!this.#open) return 'closed'
    return this.#probing ? 'half-open' : 'open'
  }

  /** Whether the latest question or probe failed, or an outage is not over yet. */
  get failing(): boolean {
    return this.#rounds > 0 || this.#outage
  }

  get sinceMs(): number {
    return Math.floor(performance.now() - this.#changedAt)
  }

  succeeded(): void {
    this.#rounds = 0
    if (!this.#outage || (this.#open && this.#probe !== undefined)) return
    this.#open = false
    this.#probing = false
    this.#recovered()
  }

  /**
   * Notes the failure of a question or probe that was asked at `askedAt`. If it was asked no later than the last counted failure
   * occurred, both belong to one round.
   */
  failed(error: Error, askedAt: number): void {
    if (this.#stopped) return
    this.#report({ kind: 'failed', error, sinceMs: this.sinceMs })
    // Equal instants too: the clock may stand still while nothing is awaited, as that of Workers does.
    if (askedAt <= this.#countedAt) return
    this.#countedAt = performance.now()
    if (this.#rounds === 0) this.#failingSince = ranMs(askedAt)
    this.#rounds++
    const silent = ranMs() - this.#failingSince >= silenceMs
    if (!this.#open && silent && this.#rounds >= roundsToOpen) {
      this.#open = true
      if (!this.#outage) this.#change({ kind: 'opened', error })
      this.#outage = true
    }
    if (this.#probe !== undefined) this.#timer ??= this.#schedule()
    else if (this.#open) this.#pause(this.#countedAt)
  }

  /** After a failure that has not opened the circuit: probes the store at once, and not after a pause. */
  lookNow(): void {
    if (this.#probe === undefined || this.#rounds === 0 || this.#open || this.#probing || this.#stopped)
      return
    clearTimeout(this.#timer)
    void this.#look()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #schedule(): NodeJS.Timeout {
    return unref(setTimeout(() => this.#look(), pauseMs()))
  }

  /** The question that is let through may never report back, so the pause begins now. */
  #pause(now: number): void {
    this.#probing = false
    this.#lookAt = now + pauseMs()
  }

  async #look(): Promise<void> {
    const wasOpen = this.#open
    const askedAt = performance.now()
    this.#probing = true
    if (wasOpen) this.#report({ kind: 'half-open', sinceMs: this.sinceMs })
    try {
      await this.#probe?.()
      // Questions may still fail although a probe succeeds. Without traffic, a second successful probe ends the outage.
      const isSure = !wasOpen && !this.#open && this.#rounds === 0
      this.#rounds = 0
      this.#open = false
      if (this.#outage && isSure) this.#recovered()
      this.#timer = this.#outage && !this.#stopped ? this.#schedule() : undefined
    } catch (error) {
      this.#timer = this.#stopped ? undefined : this.#schedule()
      // That an open circuit stays open is no news.
      if (!wasOpen) this.failed(error instanceof Error ? error : new Error(String(error)), askedAt)
    } finally {
      this.#probing = false
    }
  }

  #recovered(): void {
    this.#outage = false
    this.#change({ kind: 'recovered' })
  }

  #change(event: { kind: StoreEvent['kind']; error?: Error }): void {
    const { sinceMs } = this
    this.#changedAt = performance.now()
    this.#report({ ...event, sinceMs })
  }
}
