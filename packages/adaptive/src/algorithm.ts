/** What the places of one window came to. */
export interface Window {
  /** Places given back as answered. */
  readonly answered: number
  /** The mean time that those were held; 0 where there are none. */
  readonly latencyUs: number
  /** Places given back as dropped, and those that were not given back in time. */
  readonly dropped: number
  /** The most places held at once. */
  readonly mostInFlight: number
}

/** Arithmetic alone: from the limit of a window and what it came to, the limit of the next. Its clock is the windows. */
export interface Algorithm {
  /** Not rounded, and not yet within the bounds. */
  next(limit: number, window: Window): number
  /** The latency that it takes for that of a service without a queue, as far as it knows one. */
  readonly unloadedUs: number | undefined
  /** The next window says what is unloaded, for many to come: nothing from before it may be left in it. */
  readonly probes: boolean
}

/** One caller's failure does not close a service: from this share on, what was dropped counts. */
const droppedShare = 0.1

export function manyDropped({ answered, dropped }: Window): boolean {
  return dropped > (answered + dropped) * droppedShare
}

/** The limit was not what held requests back, so that nothing is learned of a larger one. */
export function isUnused(limit: number, { mostInFlight }: Window): boolean {
  return mostInFlight < limit / 2
}
