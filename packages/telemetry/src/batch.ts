import { storeError } from '@sluice/core/limiter'
import type { Sample } from './sink.ts'

export function unitsOf(batch: readonly Sample[]): number {
  let units = 0
  for (const sample of batch) units += Math.abs(sample.units)
  return units
}

/** A sample that any sink can add up. */
export function isSound({ series, second, units }: Sample): boolean {
  return series !== '' && Number.isSafeInteger(second) && second >= 0 && Number.isFinite(units)
}

/** Some of a batch was not written, or may not have been. */
export function notWritten(sink: string, lost: readonly Sample[], cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause)
  return Object.assign(storeError(sink, why, cause), { units: unitsOf(lost) })
}
