import { type Course, when } from './course.ts'
import { type Slip, slipsWithin } from './exactness.ts'

/** How long after the end of the trouble the last slip was. */
export function exactAfterMs({ exchanges, mendedAtMs }: Course): number {
  const last = slipsWithin(exchanges, [mendedAtMs, Number.POSITIVE_INFINITY]).at(-1)
  return last === undefined ? 0 : last.atMs - mendedAtMs
}

interface Slips {
  readonly what: string
  readonly slips: readonly Slip[]
}

/** Slips where there may be none: before the trouble, and from some time after it on, Redis decides alone, for all processes together. */
export function inexact(course: Course): readonly string[] {
  return slipsOf(course).map(({ what, slips }) => {
    const [first] = slips
    const instant = first === undefined ? '' : `, the first ${when(course, first.atMs)}: ${first.what}`
    return `${what}: ${slips.length} times${instant}`
  })
}

/** Whether all slips are checks that have missed their deadline. */
export function onlyMissedDeadlines(course: Course): boolean {
  return slipsOf(course).every(({ slips }) => slips.every(({ withoutRedis }) => withoutRedis))
}

function slipsOf(course: Course): readonly Slips[] {
  const { exchanges, warmAtMs, befellAtMs, mendedAtMs, bounds } = course
  const forever = Number.POSITIVE_INFINITY
  // A request that is sent just before the trouble may meet it.
  const healthy = exchanges.filter(({ answeredAtMs }) => answeredAtMs < befellAtMs)
  const all =
    course.sees === 'nothing'
      ? [{ what: 'not exact', slips: slipsWithin(exchanges, [warmAtMs, forever]) }]
      : [
          { what: 'not exact before the trouble', slips: slipsWithin(healthy, [warmAtMs, befellAtMs]) },
          {
            what: `not exact ${bounds.exactWithinMs} ms after the trouble`,
            slips: slipsWithin(exchanges, [mendedAtMs + bounds.exactWithinMs, forever]),
          },
        ]
  return all.filter(({ slips }) => slips.length > 0)
}
