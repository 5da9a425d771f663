import { rules } from '../settings.ts'
import { byKey } from './by-key.ts'
import { type Course, when } from './course.ts'
import { type Crowd, crowds } from './windows.ts'

/** The window in which a key got the most, in limits of its rule. */
interface Most extends Crowd {
  readonly key: string
  readonly limits: number
}

function most({ exchanges }: Course): Most | undefined {
  const all = [...byKey(exchanges.filter(({ status }) => status === 200))].flatMap(([key, admitted]) => {
    const rule = rules[admitted[0]?.rule ?? 'hour']
    return crowds(admitted, rule).map((crowd) => ({ ...crowd, key, limits: crowd.admitted / rule.limit }))
  })
  return all.sort((a, b) => b.limits - a.limits)[0]
}

/** How many limits a key got at most, of all that it surely was admitted within a window. */
export function mostLimits(course: Course): number {
  return most(course)?.limits ?? 0
}

export function admittedTooOften(course: Course): readonly string[] {
  const worst = most(course)
  if (worst === undefined || worst.limits <= course.bounds.limits) return []
  const { key, admitted, limits, lastSentAtMs } = worst
  const at = when(course, lastSentAtMs)
  return [
    `admitted ${limits} limits in a window, at most ${course.bounds.limits}: ${key} ${admitted} times, the last ${at}`,
  ]
}
