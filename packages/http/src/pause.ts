/** For how long an answer asks its client to stay away. */

/** RFC 9110, 10.2.3; a decimal is no Retry-After, but some servers send one. */
const decimal = /^\s*\d+(\.\d+)?\s*$/
/** A name in quotes may hold a comma, and no part that is read. The pattern matches at each quote, closed or not: one way, one pass. */
const quoted = /"(?:[^"\\]|\\[\s\S]?)*"?/g
/** Up to version 7 of the draft a RateLimit field is one item, whose parts stand between commas. */
const inVersion7 = /(?:^|,)\s*remaining=/
/** A larger number was meant as an instant. */
const earliestEpochSeconds = 1e9
/** And one larger than that as an instant in milliseconds. */
const earliestEpochMs = 1e12
/** Characters of a field that are read: the answering server chooses its length. */
const longest = 4096

/**
 * Milliseconds, or null where the answer does not say; `spacingMs` where it says no more than that it was too much. GitHub and others
 * answer 403 where a limit was reached, and where nobody may ask.
 */
export function pauseMsOf(response: Pick<Response, 'status' | 'headers'>, spacingMs: number): number | null {
  const { status, headers } = response
  const sentMs = dateMs(fieldOf(headers, 'date')) ?? Date.now()
  if (status === 403 || status === 429 || status === 503) {
    const retryAfterMs = retryAfterMsOf(fieldOf(headers, 'retry-after'), sentMs)
    if (retryAfterMs !== null) return retryAfterMs
  }
  const resetMs =
    usedUpMs(fieldOf(headers, 'ratelimit')) ?? resetMsOf('ratelimit', { status, headers, sentMs })
  if (resetMs !== null || (status !== 403 && status !== 429)) return resetMs
  // Of an answer that is no refusal, not: with some servers the next request passes long before that reset.
  return resetMsOf('x-ratelimit', { status, headers, sentMs }) ?? (status === 429 ? spacingMs : null)
}

/** The value of a field; null where there is none, or one that is longer than any sensible one. */
function fieldOf(headers: Pick<Headers, 'get'>, name: string): string | null {
  const value = headers.get(name)
  return value === null || value.length > longest ? null : value
}

function retryAfterMsOf(value: string | null, sentMs: number): number | null {
  if (value === null) return null
  if (decimal.test(value)) return Number(value) * 1000
  const atMs = dateMs(value)
  return atMs === null || atMs <= sentMs ? null : atMs - sentMs
}

function dateMs(value: string | null): number | null {
  const ms = Date.parse(value ?? '')
  return Number.isNaN(ms) ? null : ms
}

/** The longest time to the reset among the items of a RateLimit field of which nothing remains. */
function usedUpMs(field: string | null): number | null {
  const text = (field ?? '').replaceAll(quoted, '')
  const items = inVersion7.test(text) ? [text.replaceAll(',', ';')] : text.split(',')
  let longestMs: number | null = null
  for (const item of items) {
    const parts = Object.fromEntries(item.split(';').map((part) => part.trim().split('=')))
    const { r, t, remaining = r, reset = t } = parts
    if (remaining === '0' && decimal.test(reset)) longestMs = Math.max(longestMs ?? 0, Number(reset) * 1000)
  }
  return longestMs
}

/** The field -Reset, where nothing remains or the answer says that it was too much. */
function resetMsOf(
  fields: string,
  { status, headers, sentMs }: { status: number; headers: Pick<Headers, 'get'>; sentMs: number },
): number | null {
  const value = fieldOf(headers, `${fields}-reset`) ?? ''
  const usedUp = status === 429 || fieldOf(headers, `${fields}-remaining`)?.trim() === '0'
  if (!usedUp || !decimal.test(value)) return null
  const reset = Number(value)
  if (reset < earliestEpochSeconds) return reset * 1000
  return Math.max(0, (reset < earliestEpochMs ? reset * 1000 : reset) - sentMs)
}
