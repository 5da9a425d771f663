/**
 * How work ended. `'answered'`: its time is a sample. `'dropped'`: it failed because a service behind it is overloaded, such as by a
 * timeout. `'ignored'`: its time says nothing about the service, as that of a stream that lasts as long as its reader likes.
 * `'abandoned'`: its caller went before the answer. Work that stopped then says nothing about the service's speed, so that its time
 * counts only if it is longer than usual.
 */
export type Outcome = 'answered' | 'dropped' | 'ignored' | 'abandoned'

/** The outcome of an HTTP answer. 503 and 504: a service behind the handler is overloaded, and says so sooner than it would answer. */
export function outcomeOf(status: number): Outcome {
  return status === 503 || status === 504 ? 'dropped' : 'answered'
}

/** The request for which a place is held. */
export interface Holder {
  /** Whether it lasts as long as its client likes. */
  readonly isStream: boolean
}

/** The limit that counts a place. */
export interface PlaceOwner {
  over(place: Place, outcome: Outcome): void
}

/** A place in flight. It is given back only once: by `release`, at the end of `using`, or by its limit when `hold` has passed. */
export class Place {
  readonly allowed = true
  /** @internal */
  readonly beganUs: number
  /** @internal */
  previous: Place | undefined = undefined
  /** @internal */
  next: Place | undefined = undefined
  /** @internal */
  holder: Holder | undefined = undefined
  #owner: PlaceOwner | undefined

  constructor(owner: PlaceOwner, beganUs: number) {
    this.#owner = owner
    this.beganUs = beganUs
  }

  /** Whether it is held. */
  get held(): boolean {
    return this.#owner !== undefined
  }

  /** Returns false if it had been given back before, or was taken back after `hold`. */
  release(outcome: Outcome = 'answered'): boolean {
    const owner = this.#owner
    if (owner === undefined) return false
    this.#owner = undefined
    owner.over(this, outcome)
    return true
  }

  [Symbol.dispose](): void {
    this.release()
  }
}
