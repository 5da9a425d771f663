import { rules } from '../settings.ts'
import { byKey } from './by-key.ts'
import type { Course } from './course.ts'
import { finding } from './finding.ts'
import { inOutage } from './outage.ts'
import { wrongRefusals } from './windows.ts'

/** Finds first requests of clients that were refused: they always pass, except where all requests are to be refused. */
export function firstTimeRefused(course: Course): readonly string[] {
  const refused = course.exchanges.filter((exchange) => {
    if (exchange.caller !== 'first-time' || exchange.status === 200) return false
    return !(course.choice === 'deny' && exchange.status === 503 && inOutage(course, exchange))
  })
  return finding(course, 'refused a first-time caller', refused)
}

/** Finds clients that were refused with room left, whichever count decides. */
export function refusedEarly(course: Course): readonly string[] {
  const early = [...byKey(course.exchanges)].flatMap(([, exchanges]) => {
    return wrongRefusals(exchanges, rules[exchanges[0]?.rule ?? 'hour']).filter(
      ({ status }) => status === 429,
    )
  })
  return early.length <= course.bounds.refusedEarly
    ? []
    : finding(course, 'refused although there was room', early)
}

/** Finds clients that were admitted although Redis would refuse them, except where all requests are to pass. */
export function exhaustedAdmitted(course: Course): readonly string[] {
  const { warmAtMs, endingAtMs, forgets, choice } = course
  const knownUntilMs = forgets ? endingAtMs : Number.POSITIVE_INFINITY
  const admitted = course.exchanges.filter((exchange) => {
    if (exchange.caller !== 'exhausted' || exchange.status !== 200) return false
    if (exchange.sentAtMs < warmAtMs || exchange.answeredAtMs > knownUntilMs) return false
    return !(choice === 'allow' && inOutage(course, exchange))
  })
  return finding(course, 'admitted an exhausted caller', admitted)
}
