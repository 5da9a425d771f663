/** A request of the traffic. */
export interface Arrival {
  /** µs since 1970. */
  readonly atUs: number
  readonly key: string
}

/** The times that all charts share: buckets of equal length. */
export interface Axis {
  /** µs since 1970. */
  readonly fromUs: number
  readonly stepUs: number
  readonly buckets: number
}

/** In order of time, none before the axis and none behind it. */
export interface Arrivals {
  readonly arrivals: readonly Arrival[]
  readonly axis: Axis
}

/** Beyond it a page would stand still for long. */
export const mostArrivals = 20_000

/** Drawn traffic begins on a Monday at midnight in UTC, so that all windows of the clock begin with it. */
export const originUs: number = Date.UTC(2026, 0, 5) * 1000

/** The bucket of an instant. */
export function bucketOf({ fromUs, stepUs, buckets }: Axis, atUs: number): number {
  return Math.min(buckets - 1, Math.floor((atUs - fromUs) / stepUs))
}
