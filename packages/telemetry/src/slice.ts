/**
 * What is kept together and forgotten together. A Redis hash of no more than 128 fields takes a few bytes for each; a longer one
 * ten times as many.
 */
export const sliceSeconds = 120

/** When the slice that holds a second begins. */
export function sliceOf(second: number): number {
  return second - (second % sliceSeconds)
}

/** Only the latest written series are kept: their names may come from requests. */
export const maxSeries = 10_000
