import type { Exchange } from '../exchange.ts'
import type { Course } from './course.ts'
import { finding } from './finding.ts'

export function longestWaitMs({ exchanges }: Course): number {
  return exchanges.reduce((longest, { waitMs }) => Math.max(longest, waitMs), 0)
}

/** Requests that waited too long, whatever the machine did. */
export function slow(course: Course): readonly string[] {
  const longestMs = course.bounds.longestWaitMs
  const late = tooLong(course).filter(({ waitMs, stalledMs }) => waitMs - stalledMs > longestMs)
  const worst = Math.round(late.reduce((worst, { waitMs }) => Math.max(worst, waitMs), 0))
  return finding(course, `waited longer than ${longestMs} ms, ${worst} ms at worst`, late)
}

/** Requests that waited longer than is allowed, for whatever reason. */
export function tooLong({ exchanges, bounds }: Course): readonly Exchange[] {
  return exchanges.filter(({ waitMs }) => waitMs > bounds.longestWaitMs)
}
