import type { Exchange } from '../exchange.ts'
import type { Course } from './course.ts'

/** Whether Redis may be taken for away when a request is answered. */
export function inOutage(
  { befellAtMs, mendedAtMs, bounds }: Course,
  { sentAtMs, answeredAtMs }: Exchange,
): boolean {
  return answeredAtMs >= befellAtMs && sentAtMs < mendedAtMs + bounds.exactWithinMs
}

/** As far as a caller can tell: a refusal does not say who counted. */
export function wasWithoutRedis({ status, text }: Exchange): boolean {
  return status === 503 || (status === 200 && text !== 'redis')
}
