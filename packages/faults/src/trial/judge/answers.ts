import type { Exchange } from '../exchange.ts'
import { rules } from '../settings.ts'
import type { Course } from './course.ts'
import { finding } from './finding.ts'

const claims = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** Statuses that no limiter should cause, and fields that are missing or claim unknown numbers. */
export function wrongAnswers(course: Course): readonly string[] {
  const { exchanges, choice } = course
  const statuses = choice === 'deny' ? [200, 429, 503] : [200, 429]
  return [
    ...finding(
      course,
      'wrong status',
      exchanges.filter(({ status }) => !statuses.includes(status)),
    ),
    ...finding(
      course,
      'refused without Retry-After',
      exchanges.filter(
        ({ status, fields }) => [429, 503].includes(status) && !(Number(fields['retry-after']) >= 1),
      ),
    ),
    ...finding(
      course,
      'claims numbers although nothing was counted',
      exchanges.filter((exchange) => isUncounted(exchange) && claims.some((name) => name in exchange.fields)),
    ),
    ...finding(
      course,
      'numbers that cannot be true',
      exchanges.filter((exchange) => isCounted(exchange) && !isPlausible(exchange)),
    ),
  ]
}

function isUncounted({ status, text }: Exchange): boolean {
  return status === 503 || (status === 200 && text === 'none')
}

function isCounted({ status, text }: Exchange): boolean {
  return status === 429 || (status === 200 && text !== 'none')
}

function isPlausible({ rule, status, fields }: Exchange): boolean {
  const { limit, windowMs } = rules[rule]
  const [claimed, remaining, reset] = claims.map((name) => Number(fields[name] ?? Number.NaN))
  if (claimed === undefined || remaining === undefined || reset === undefined) return false
  const most = status === 200 ? limit - 1 : 0
  return claimed === limit && remaining >= 0 && remaining <= most && reset >= 0 && reset * 1000 <= windowMs
}
