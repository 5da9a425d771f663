import type { Exchange } from '../exchange.ts'
import type { Course } from './course.ts'

/** Whether a process may consider Redis away when a request is answered. */
export function inOutage(
  { befellAtMs, mendedAtMs, bounds }: Course,
  { sentAtMs, answeredAtMs }: Exchange,
): boolean {
  return answeredAtMs >= befellAtMs && sentAtMs < mendedAtMs + bounds.exactWithinMs
}

/** Whether a request was decided without Redis, as far as its caller can tell: a refusal does not say what counted. */
export function wasWithoutRedis({ status, text }: Exchange): boolean {
  return status === 503 || (status === 200 && text !== 'redis')
}
