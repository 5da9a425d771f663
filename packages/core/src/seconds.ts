/** RFC 9651, 3.3.1: a longer integer makes a client drop the whole field. */
const largestInteger = 999_999_999_999_999

/** Whole, not negative, 15 digits at most: a field must never say NaN, Infinity or 1e+21. */
export function fieldInteger(value: number): number {
  return value > 0 ? Math.min(Math.floor(value), largestInteger) : 0
}

/** Milliseconds as whole seconds, rounded up: a client with a shorter wait would come back too early. */
export function secondsUp(ms: number): number {
  return fieldInteger(Math.ceil(ms / 1000))
}

/** The value of Retry-After in seconds, at least 1: with 0 clients repeat the request at once. */
export function retryAfterSeconds(ms: number): number {
  return Math.max(1, secondsUp(ms))
}
