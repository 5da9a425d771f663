import type { Exchange } from '../exchange.ts'
import { type Course, when } from './course.ts'

/** One sentence about all exchanges with a fault, with the first of them; none if there are none. */
export function finding(course: Course, what: string, exchanges: readonly Exchange[]): readonly string[] {
  const [first] = [...exchanges].sort((a, b) => a.sentAtMs - b.sentAtMs)
  if (first === undefined) return []
  const { caller, server, status, text, sentAtMs } = first
  const example = `${caller} at server ${server}, ${when(course, sentAtMs)}: ${status} ${text.slice(0, 200)}`
  return [`${what}: ${exchanges.length} requests, the first ${example}`]
}
