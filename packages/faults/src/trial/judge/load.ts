import type { Course } from './course.ts'
import { tooLong } from './waits.ts'

/** A request that was sent later than this is no part of a steady load. */
const lateMs = 100
const lateShare = 0.02
/** So few may have waited too long because the machine stalled. */
const stalledShare = 0.005

/** Without a steady load nothing is proven. */
export function unkept(course: Course): string | undefined {
  const { exchanges, bounds } = course
  const late = exchanges.filter(({ dueAtMs, sentAtMs }) => sentAtMs - dueAtMs > lateMs)
  if (exchanges.length === 0 || late.length > exchanges.length * lateShare) {
    const what = `${late.length} of ${exchanges.length} requests were sent more than ${lateMs} ms late`
    return `no steady load: ${what}`
  }
  const stalled = tooLong(course).filter(
    ({ waitMs, stalledMs }) => waitMs - stalledMs <= bounds.longestWaitMs,
  )
  if (stalled.length <= exchanges.length * stalledShare) return undefined
  const what = `${stalled.length} of ${exchanges.length} requests waited for a core`
  return `no steady load: ${what}`
}
