import { type Arrivals, bucketOf } from './arrival.ts'
import type { Run } from './simulate.ts'

/** What a chart shows, by bucket. */
export interface Lanes {
  readonly admitted: readonly number[]
  readonly refused: readonly number[]
  /** The most that one key had in a window that ends in the bucket; or the most in flight. */
  readonly inWindow: readonly number[]
  /** The most of all. */
  readonly most: number
}

/** A request at the instant at which it is admitted or refused: one that waits is admitted later than it came. */
interface Outcome {
  readonly atUs: number
  readonly key: string
  readonly allowed: boolean
}

/** In order of time, without those that are admitted behind the axis. */
function outcomesOf({ arrivals, axis }: Arrivals, { answers, isShared }: Run): readonly Outcome[] {
  const endUs = axis.fromUs + axis.buckets * axis.stepUs
  return arrivals
    .map(({ atUs, key }, i) => {
      const { allowed = false, waitMs = 0 } = answers[i] ?? {}
      return { atUs: atUs + Math.round(waitMs * 1000), key: isShared ? 'all' : key, allowed }
    })
    .filter(({ atUs }) => atUs < endUs)
    .sort((a, b) => a.atUs - b.atUs)
}

export function lanesOf(asked: Arrivals, run: Run): Lanes {
  const { axis } = asked
  const { picture, inFlight } = run
  const outcomes = outcomesOf(asked, run)
  const admitted = new Array<number>(axis.buckets).fill(0)
  const refused = new Array<number>(axis.buckets).fill(0)
  const inWindow = new Array<number>(axis.buckets).fill(0)
  /** The times in the window, by key. */
  const windows = new Map<string, number[]>()
  let at = 0
  for (let bucket = 0; bucket < axis.buckets; bucket++) {
    for (; at < outcomes.length; at++) {
      const { atUs, key, allowed } = outcomes[at] ?? { atUs: 0, key: '', allowed: false } // the place is one of the list's
      if (bucketOf(axis, atUs) !== bucket) break
      const lane = allowed ? admitted : refused
      lane[bucket] = (lane[bucket] ?? 0) + 1
      if (!allowed) continue
      const window = windows.get(key) ?? []
      windows.set(key, window)
      window.push(atUs)
      forget(window, atUs - picture.windowUs)
      inWindow[bucket] = Math.max(inWindow[bucket] ?? 0, window.length)
    }
    const endUs = axis.fromUs + (bucket + 1) * axis.stepUs
    for (const window of windows.values()) {
      forget(window, endUs - picture.windowUs)
      inWindow[bucket] = Math.max(inWindow[bucket] ?? 0, window.length)
    }
  }
  const counted = inFlight ?? inWindow
  return { admitted, refused, inWindow: counted, most: Math.max(0, ...counted) }
}

/** A window is open at its beginning: what was admitted exactly one length ago no longer counts. */
function forget(window: number[], untilUs: number): void {
  let gone = 0
  while ((window[gone] ?? Number.POSITIVE_INFINITY) <= untilUs) gone++
  if (gone > 0) window.splice(0, gone)
}

/** Requests by bucket, whatever becomes of them. */
export function offeredOf({ arrivals, axis }: Arrivals): readonly number[] {
  const offered = new Array<number>(axis.buckets).fill(0)
  for (const { atUs } of arrivals) {
    const bucket = bucketOf(axis, atUs)
    offered[bucket] = (offered[bucket] ?? 0) + 1
  }
  return offered
}

/** The ends of the windows that were open, in seconds of the axis: for fixed windows of one key. */
export function edgesOf({ arrivals, axis }: Arrivals, { answers, picture, left }: Run): readonly number[] {
  if (picture.shape !== 'fixed' || left === null) return []
  const ends = arrivals.map(({ atUs }, i) => {
    // Waits are rounded up to whole milliseconds.
    return Math.round((atUs - axis.fromUs) / 1e4 + (answers[i]?.resetAfterMs ?? 0) / 10) / 100
  })
  return [...new Set(ends)].sort((a, b) => a - b)
}
