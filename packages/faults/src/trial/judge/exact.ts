import { type Course, when } from './course.ts'
import { type Slip, slipsWithin } from './exactness.ts'

/** How long after the end of the trouble the last slip was. */
export function exactAfterMs({ exchanges, mendedAtMs }: Course): number {
  const last = slipsWithin(exchanges, [mendedAtMs, Number.POSITIVE_INFINITY]).at(-1)
  return last === undefined ? 0 : last.atMs - mendedAtMs
}

/** Before the trouble and some time after it Redis decides alone, for all together. */
export function inexact(course: Course): readonly string[] {
  const { exchanges, warmAtMs, befellAtMs, mendedAtMs, bounds } = course
  if (course.sees === 'nothing') {
    return slipFindings(course, 'not exact', slipsWithin(exchanges, [warmAtMs, Number.POSITIVE_INFINITY]))
  }
  // Sent just before it, a request may meet the trouble.
  const healthy = exchanges.filter(({ answeredAtMs }) => answeredAtMs < befellAtMs)
  return [
    ...slipFindings(course, 'not exact before the trouble', slipsWithin(healthy, [warmAtMs, befellAtMs])),
    ...slipFindings(
      course,
      `not exact ${bounds.exactWithinMs} ms after the trouble`,
      slipsWithin(exchanges, [mendedAtMs + bounds.exactWithinMs, Number.POSITIVE_INFINITY]),
    ),
  ]
}

function slipFindings(course: Course, what: string, slips: readonly Slip[]): readonly string[] {
  const [first] = slips
  if (first === undefined) return []
  return [`${what}: ${slips.length} times, the first ${when(course, first.atMs)}: ${first.what}`]
}
