/**
 * How many seconds are stored and dropped together. A Redis hash with at most 128 fields takes a few bytes for each; a longer one
 * ten times as many.
 */
export const sliceSeconds = 120

/** The first second of the slice that holds a second. */
export function sliceOf(second: number): number {
  return second - (second % sliceSeconds)
}

/** The most series kept, the latest written ones: their names may come from requests. */
export const maxSeries = 50_000
