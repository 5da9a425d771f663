import { LinkedList, msUp, observing } from '@sluice/core/internal'
import { type AdaptiveLimitOptions, type LimitSettings, readLimitOptions } from './limit-options.ts'
import { type Outcome, Place, type PlaceOwner } from './place.ts'
import { WindowMeter } from './window-meter.ts'

/** Places in this process, as many as the measured latency allows. */
export class AdaptiveLimit implements PlaceOwner {
  readonly min: number
  readonly max: number
  readonly #settings: LimitSettings
  readonly #meter: WindowMeter
  /** The held places, in the order in which they were taken: the first is the first to be taken back. */
  readonly #places = new LinkedList<Place>()
  #inFlight = 0
  /** The limit, not rounded. */
  #exact: number
  #latencyUs: number | undefined
  /** How many of the places that were held when the limit fell below their number are still to be given back, before a window begins. */
  #surplus = 0
  /** When the limit fell below that number. */
  #surplusUs = 0

  constructor(settings: LimitSettings) {
    const { min, max, initial, windowUs, samples, clock } = settings
    this.min = min
    this.max = max
    this.#settings = settings
    this.#exact = initial
    this.#meter = new WindowMeter({ lengthUs: windowUs, samples, nowUs: clock.nowUs() })
  }

  /** Places that may be held at once: a whole number from `min` to `max`. */
  get limit(): number {
    return Math.floor(this.#exact)
  }

  /** Places that are held. */
  get inFlight(): number {
    this.#takeBack(this.#settings.clock.nowUs())
    return this.#inFlight
  }

  /** The mean latency of the last window; null before the first. */
  get latencyMs(): number | null {
    return this.#latencyUs === undefined ? null : msUp(this.#latencyUs)
  }

  /** The latency that `'gradient'` compares with; null where there is none. */
  get unloadedMs(): number | null {
    const { unloadedUs } = this.#settings.algorithm
    return unloadedUs === undefined ? null : msUp(unloadedUs)
  }

  /** Returns a place, or null if `limit` are held. Never waits. */
  acquire(): Place | null {
    return this.acquireUpTo(this.limit)
  }

  /** Returns a place if fewer than this many (at most `max`) are held, for requests whose own limit is higher or lower. */
  acquireUpTo(places: number): Place | null {
    const nowUs = this.#settings.clock.nowUs()
    this.#takeBack(nowUs)
    if (this.#inFlight >= Math.min(places, this.max)) return null
    const place = new Place(this, nowUs)
    this.#places.add(place)
    this.#inFlight++
    this.#meter.saw(this.#inFlight, nowUs)
    return place
  }

  /** @internal A place was given back. */
  over(place: Place, outcome: Outcome): void {
    this.#end(place, outcome, this.#settings.clock.nowUs())
  }

  /** Takes back places that were never given back. Needs no timer, as only calls that want a place, or look, would miss them. */
  #takeBack(nowUs: number): void {
    const { holdUs } = this.#settings
    for (let first = this.#places.first; first !== undefined; first = this.#places.first) {
      if (nowUs - first.beganUs < holdUs) return
      first.release(first.holder?.isStream === true ? 'ignored' : 'dropped')
    }
  }

  #end(place: Place, outcome: Outcome, nowUs: number): void {
    const meter = this.#meter
    meter.saw(this.#inFlight, nowUs)
    this.#places.remove(place)
    this.#inFlight--
    const latencyUs = nowUs - place.beganUs
    if (outcome === 'dropped') meter.drop(nowUs)
    else if (
      outcome === 'answered' ||
      (outcome === 'abandoned' && latencyUs > (this.#latencyUs ?? latencyUs))
    )
      meter.add(latencyUs, nowUs)
    if (this.#surplus > 0) this.#drain(place, nowUs)
    else if (meter.isFull(nowUs)) this.#adapt(nowUs)
  }

  /**
   * Requests that come once the surplus has gone meet no more of the earlier ones than the limit; those that are ending have met more.
   * Places that were taken later do not count: critical requests may hold more than the limit for as long as they like.
   */
  #drain({ beganUs }: Place, nowUs: number): void {
    if (beganUs > this.#surplusUs || --this.#surplus > 0) return
    this.#meter.beginAt(nowUs + (this.#latencyUs ?? 0) * this.#leftLatencies)
  }

  #adapt(nowUs: number): void {
    const { algorithm, min, max } = this.#settings
    const meter = this.#meter
    const exact = Math.min(max, Math.max(min, algorithm.next(this.#exact, meter)))
    const before = this.limit
    const latencyUs = meter.answered === 0 ? undefined : meter.latencyUs
    this.#latencyUs = latencyUs ?? this.#latencyUs
    this.#exact = exact
    this.#surplus = Math.max(0, this.#inFlight - this.limit)
    this.#surplusUs = nowUs
    // Requests that were admitted under the earlier limit end before the window begins.
    if (this.#surplus > 0) meter.beginAt(Number.POSITIVE_INFINITY)
    else meter.beginAt(this.limit === before ? nowUs : nowUs + (this.#latencyUs ?? 0) * this.#leftLatencies)
    if (this.limit !== before) this.#tell(before, latencyUs)
  }

  /** How many mean latencies a window waits: of places held for random times, a third is left after one, and a twentieth after three. */
  get #leftLatencies(): number {
    return this.#settings.algorithm.probes ? 3 : 1
  }

  #tell(before: number, latencyUs: number | undefined): void {
    const { onChange } = this.#settings
    if (onChange === undefined) return
    const latencyMs = latencyUs === undefined ? null : msUp(latencyUs)
    const { limit, unloadedMs } = this
    try {
      observing.Reports.ignore(onChange({ limit, before, latencyMs, unloadedMs, inFlight: this.#inFlight }))
    } catch {
      // There is nowhere to report an error of the listener.
    }
  }
}

/**
 * Places for concurrent work in this process, whose number follows the measured latency between `min` and `max`. For a fixed number,
 * or one for all processes of a service, use the policy `concurrency`.
 *
 * @example
 * const limit = adaptiveLimit({ max: 100 })
 * const place = limit.acquire()
 * if (place === null) return busy()
 * try {
 *   return await work()
 * } finally {
 *   place.release()
 * }
 */
export function adaptiveLimit(options: AdaptiveLimitOptions = {}): AdaptiveLimit {
  return new AdaptiveLimit(readLimitOptions(options))
}
