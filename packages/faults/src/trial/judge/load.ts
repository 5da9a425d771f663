import type { Course } from './course.ts'
import { deadlineMs } from './machine.ts'
import { tooLong } from './waits.ts'

/** A request that was sent later than this is no part of a steady load. */
const lateMs = 100
const lateShare = 0.02
/** The share of requests that may have waited too long because the machine stalled. */
const stalledShare = 0.005

/** Why a load was not steady. */
export interface Unsteady {
  readonly what: string
  /** A process without a core for longer than this causes it, whatever the servers do. */
  readonly stallMs: number
}

/**
 * Why the load was not steady; undefined if it was. Without a steady load nothing is proven. It counts from when all servers are warm:
 * six that have just begun compile their code at the same time, and on two cores the first requests wait for that.
 */
export function unsteady(course: Course): Unsteady | undefined {
  const { bounds, warmAtMs } = course
  const exchanges = course.exchanges.filter(({ dueAtMs }) => dueAtMs >= warmAtMs)
  const late = exchanges.filter(({ dueAtMs, sentAtMs }) => sentAtMs - dueAtMs > lateMs)
  if (exchanges.length === 0 || late.length > exchanges.length * lateShare) {
    const what = `${late.length} of ${exchanges.length} requests were sent more than ${lateMs} ms late`
    return { what: `no steady load: ${what}`, stallMs: deadlineMs }
  }
  const stalled = tooLong({ ...course, exchanges }).filter(
    ({ waitMs, stalledMs }) => waitMs - stalledMs <= bounds.longestWaitMs,
  )
  if (stalled.length <= exchanges.length * stalledShare) return undefined
  const what = `${stalled.length} of ${exchanges.length} requests waited for a core`
  // A server that has met the deadline answers too late if it has no core for what is left of the bound.
  return { what: `no steady load: ${what}`, stallMs: bounds.longestWaitMs - deadlineMs }
}
