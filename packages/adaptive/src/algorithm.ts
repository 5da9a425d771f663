/** The outcomes of the places of one window. */
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

/** Arithmetic alone: computes the next limit from the limit and the outcomes of a window. It has no clock but the windows. */
export interface Algorithm {
  /** The next limit, not rounded, and not yet within the bounds. */
  next(limit: number, window: Window): number
  /** The latency of the service without a queue, as the algorithm estimates it; undefined if it knows none. */
  readonly unloadedUs: number | undefined
  /** Whether the next window measures the unloaded latency, for many windows to come: no earlier request may be left in it. */
  readonly probes: boolean
}

/** Dropped places count only above this share: one caller's failure does not close a service. */
const droppedShare = 0.1

export function manyDropped({ answered, dropped }: Window): boolean {
  return dropped > (answered + dropped) * droppedShare
}

/** Whether it was not the limit that held requests back, so that the window says nothing about a larger one. */
export function isUnused(limit: number, { mostInFlight }: Window): boolean {
  return mostInFlight < limit / 2
}
