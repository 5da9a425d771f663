import type { Course } from './course.ts'
import { inOutage, wasWithoutRedis } from './outage.ts'

/** Finds a trouble that affected no request: it proves nothing. */
export function unseen(course: Course): readonly string[] {
  const met = course.exchanges.some((exchange) => wasWithoutRedis(exchange) && inOutage(course, exchange))
  return course.sees !== 'outage' || met
    ? []
    : ['no request has met the trouble: every answer came from Redis']
}

/** Finds servers that misreport their status, or how many decisions they have made without Redis. */
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
