import type { Course } from './course.ts'
import { asMeasured } from './machine.ts'
import { tooLong } from './waits.ts'

/** A request that was sent later than this is no part of a steady load. */
const lateMs = 100
const lateShare = 0.02
/** So few may have waited too long because the machine stalled. */
const stalledShare = 0.005

/** The sender was late, and had a core: something else than the machine kept it from sending. */
export function lateWithCore(course: Course): readonly string[] {
  const { exchanges } = course
  const late = exchanges.filter(
    ({ dueAtMs, sentAtMs, withheldMs }) => sentAtMs - dueAtMs - withheldMs > lateMs,
  )
  if (late.length <= exchanges.length * lateShare) return []
  return [
    `${late.length} of ${exchanges.length} requests were sent more than ${lateMs} ms late, with a core to send them`,
  ]
}

/** Without a steady load nothing is proven. */
export function unkept(course: Course): readonly string[] {
  const { exchanges, bounds } = course
  const late = exchanges.filter(({ dueAtMs, sentAtMs }) => sentAtMs - dueAtMs > lateMs)
  if (exchanges.length === 0 || late.length > exchanges.length * lateShare) {
    const what = `${late.length} of ${exchanges.length} requests were sent more than ${lateMs} ms late`
    return [`no steady load: ${what}; ${asMeasured(course)}`]
  }
  const stalled = tooLong(course).filter(
    ({ waitMs, stalledMs }) => waitMs - stalledMs <= bounds.longestWaitMs,
  )
  if (stalled.length <= exchanges.length * stalledShare) return []
  const what = `${stalled.length} of ${exchanges.length} requests waited for a core`
  return [`no steady load: ${what}; ${asMeasured(course)}`]
}
