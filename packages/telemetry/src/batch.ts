import { storeError } from '@sluice/core/internal'
import type { Sample } from './sink.ts'

/** Commands in flight at once: the server serves others in between. */
const portion = 500
/** What has not started by then is given up. */
const longestMs = 2000

export function unitsOf(batch: readonly Sample[]): number {
  let units = 0
  for (const sample of batch) if (Number.isFinite(sample.units)) units += Math.abs(sample.units)
  return units
}

/** true for a sample that any sink can add. */
export function isSound({ series, second, units }: Sample): boolean {
  return series !== '' && Number.isSafeInteger(second) && second >= 0 && Number.isFinite(units)
}

/** Some of a batch was not written, or may not have been. */
export function notWritten(sink: string, lost: readonly Sample[], cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause)
  return Object.assign(storeError(sink, why, cause), { units: unitsOf(lost) })
}

/** Writes each sample on its own, many at once; rejects when one was not written. */
export async function writeEach(
  sink: string,
  batch: readonly Sample[],
  write: (sample: Sample) => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now()
  const lost = batch.filter((sample) => !isSound(sample))
  let cause: unknown = new TypeError('a sample is no number, or of no second')
  const sound = batch.filter(isSound)
  for (let from = 0; from < sound.length; from += portion) {
    if (performance.now() - startedAt > longestMs) {
      throw notWritten(sink, [...lost, ...sound.slice(from)], `not done within ${longestMs} ms`)
    }
    const some = sound.slice(from, from + portion)
    const results = await Promise.allSettled(some.map(write))
    for (const [i, result] of results.entries()) {
      const sample = some[i]
      if (result.status === 'fulfilled' || sample === undefined) continue
      lost.push(sample)
      cause = result.reason
    }
  }
  if (lost.length > 0) throw notWritten(sink, lost, cause)
}
