import { storeError } from '@sluice/core/internal'
import type { Sample } from './sink.ts'

/** The most commands in flight, so that the server can serve other clients in between. */
const portion = 500

/** Where groups are written, and for how long: samples whose writing has not started by then are lost. */
export interface Writing {
  readonly sink: string
  readonly deadlineMs: number
  write(group: Group): Promise<unknown>
}

/** Samples that are written by one call. */
export type Group = readonly [Sample, ...Sample[]]

export function unitsOf(batch: readonly Sample[]): number {
  let units = 0
  for (const sample of batch) if (Number.isFinite(sample.units)) units += Math.abs(sample.units)
  return units
}

/** Whether any sink can add the sample. */
export function isSound({ series, second, units }: Sample): boolean {
  return series !== '' && Number.isSafeInteger(second) && second >= 0 && Number.isFinite(units)
}

/** The error where some of a batch was not, or may not have been, written. */
export function notWritten(sink: string, lost: readonly Sample[], cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause)
  return Object.assign(storeError(sink, why, cause), { units: unitsOf(lost) })
}

/** Writes each group by one call, many at once; rejects when a sample was not written. */
export async function writeGroups(
  batch: readonly Sample[],
  groupsOf: (sound: readonly Sample[]) => readonly Group[],
  { sink, deadlineMs, write }: Writing,
): Promise<void> {
  const startedAt = performance.now()
  const lost = batch.filter((sample) => !isSound(sample))
  let cause: unknown = new TypeError('a sample has no valid number or second')
  const groups = groupsOf(batch.filter(isSound))
  for (let from = 0; from < groups.length; from += portion) {
    if (performance.now() - startedAt > deadlineMs) {
      const left = groups.slice(from).flat()
      throw notWritten(sink, [...lost, ...left], `not done within ${deadlineMs} ms`)
    }
    const some = groups.slice(from, from + portion)
    const results = await Promise.allSettled(some.map(write))
    for (const [i, result] of results.entries()) {
      if (result.status === 'fulfilled') continue
      lost.push(...(some[i] ?? []))
      cause = result.reason
    }
  }
  if (lost.length > 0) throw notWritten(sink, lost, cause)
}
