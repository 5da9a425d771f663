import type { Entry, Parsed } from './entry.ts'
import { clfUs, timeUs } from './time.ts'

/** How often ` [` is tried for the time: a user's name may hold it, too. */
const mostTries = 8

interface Quoted {
  readonly text: string
  /** Behind the closing quote. */
  readonly end: number
}

interface Found {
  readonly atUs: number
  /** Of ` [` before it. */
  readonly start: number
  /** Behind the closing bracket. */
  readonly end: number
}

type Fields = { readonly [name: string]: string }

/**
 * The common log format, and the combined one, which has the referrer and the agent behind it. What follows is not read. One pass
 * over the line, whatever stands in it: who asks chooses the path, the agent and the user's name.
 */
export function parseCommon(line: string): Parsed {
  return parse(line, false)
}

/** As `parseCommon`, with referrer and agent demanded. */
export function parseCombined(line: string): Parsed {
  return parse(line, true)
}

function parse(line: string, combined: boolean): Parsed {
  const ipEnd = line.indexOf(' ')
  const identEnd = line.indexOf(' ', ipEnd + 1)
  if (ipEnd < 1 || identEnd < 0) return 'an address, two names and a time in brackets'
  const time = timeIn(line, identEnd)
  if (time === undefined) return 'a time in brackets such as [10/Oct/2000:13:55:36 -0700]'
  const request = quotedAt(line, time.end + 1)
  if (request === undefined) return 'a request in quotes behind the time'
  const [, status, bytes, rest = ''] = /^ (\d{3}|-) (\d+|-)(?: (.*))?$/.exec(line.slice(request.end)) ?? []
  if (status === undefined || bytes === undefined) return 'a status and a number of bytes behind the request'
  const [method = '', path = ''] = request.text.split(' ', 2)
  const user = line.slice(identEnd + 1, time.start)
  const fields = { ip: line.slice(0, ipEnd), user, method, path, status, bytes }
  const more = refererAndAgent(rest)
  if (combined && more === undefined) return 'a referrer and an agent in quotes at the end'
  return new CommonEntry(time.atUs, more === undefined ? fields : { ...fields, ...more })
}

class CommonEntry implements Entry {
  readonly atUs: number
  readonly #fields: Fields

  constructor(atUs: number, fields: Fields) {
    this.atUs = atUs
    this.#fields = fields
  }

  field(name: string): string | undefined {
    const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined
    return value === '-' || value === '' ? undefined : value
  }
}

function timeIn(line: string, from: number): Found | undefined {
  let start = from
  for (let i = 0; i < mostTries; i++) {
    start = line.indexOf(' [', start)
    const close = start < 0 ? -1 : line.indexOf(']', start)
    if (close < 0) return undefined
    // No time is longer, and a name may be.
    const text = close - start > 40 ? '' : line.slice(start + 2, close)
    const atUs = clfUs(text) ?? timeUs(text)
    if (atUs !== undefined) return { atUs, start, end: close + 1 }
    start += 2
  }
  return undefined
}

function refererAndAgent(text: string): { readonly referrer: string; readonly agent: string } | undefined {
  const referrer = quotedAt(text, 0)
  const agent = referrer === undefined ? undefined : quotedAt(text, referrer.end + 1)
  return referrer === undefined || agent === undefined
    ? undefined
    : { referrer: referrer.text, agent: agent.text }
}

/** What stands in quotes there; a backslash takes the next character with it. */
function quotedAt(text: string, at: number): Quoted | undefined {
  if (text[at] !== '"') return undefined
  let end = text.indexOf('"', at + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? undefined : { text: text.slice(at + 1, end), end: end + 1 }
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}
