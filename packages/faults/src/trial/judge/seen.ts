import type { Course } from './course.ts'
import { inOutage, wasWithoutRedis } from './outage.ts'

/** A trouble that affected no request proves nothing. */
export function unseen(course: Course): readonly string[] {
  const met = course.exchanges.some((exchange) => wasWithoutRedis(exchange) && inOutage(course, exchange))
  return course.sees !== 'outage' || met
    ? []
    : ['no request has met the trouble: every answer came from Redis']
}

/** A server knows how it is, and how many decisions it has made without Redis. */
export function misreported({ exchanges, healths, bounds }: Course): readonly string[] {
  return healths.flatMap((health, server) => {
    if (health === undefined) return []
    const seen = exchanges.filter(
      (exchange) => exchange.server === server && wasWithoutRedis(exchange),
    ).length
    const { fallbackDecisions, status } = health
    const few = `server ${server} counts ${fallbackDecisions} decisions without Redis, and its callers met ${seen}`
    const wrong = `server ${server} says "${status}" at the end`
    return [
      ...(fallbackDecisions < seen ? [few] : []),
      ...(status !== 'ok' && Number.isFinite(bounds.exactWithinMs) ? [wrong] : []),
    ]
  })
}
