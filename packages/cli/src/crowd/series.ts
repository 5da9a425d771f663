import type { Between } from './most-within.ts'

export interface Steps {
  readonly spanMs: number
  /** The first span ends a step later. */
  readonly beginMs: number
  readonly stepMs: number
  readonly count: number
}

/** How many events certainly happened in the span that ends with each step: after its begin, and up to its end. */
export function inSpanAt(
  times: readonly Between[],
  { spanMs, beginMs, stepMs, count }: Steps,
): readonly number[] {
  const sure = times.filter(({ fromMs, toMs }) => toMs - fromMs < spanMs)
  const earliest = Float64Array.from(sure, ({ fromMs }) => fromMs).sort()
  const latest = Float64Array.from(sure, ({ toMs }) => toMs).sort()
  let come = 0
  let gone = 0
  return Array.from({ length: count }, (_, step) => {
    const endMs = beginMs + (step + 1) * stepMs
    while (come < latest.length && (latest[come] ?? endMs) <= endMs) come++
    while (gone < earliest.length && (earliest[gone] ?? endMs) <= endMs - spanMs) gone++
    return come - gone
  })
}
