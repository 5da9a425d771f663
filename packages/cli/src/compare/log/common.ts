import type { Entry, Parsed } from './entry.ts'
import { clfUs, timeUs } from './time.ts'

/** With the space and the bracket before it: of one that is no time not all has to be looked at. */
const longestTime = 40

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

/** Where the parts of a line stand. */
interface Places {
  readonly ipEnd: number
  readonly userStart: number
  readonly userEnd: number
  readonly request: Quoted
  /** Of the space before the status. */
  readonly status: number
  /** Of whatever stands behind the number of bytes. */
  readonly rest: number
}

const statusAndBytes = / (?:\d{3}|-) (?:\d+|-)(?: |$)/y

/**
 * The common log format, and the combined one, which has the referrer and the agent behind it. What follows is not read. One pass
 * over the line, whatever stands in it: who asks chooses the path, the agent and the user's name.
 */
export function parseCommon(line: string): Parsed {
  return read(line)
}

/** As `parseCommon`, with referrer and agent demanded. */
export function parseCombined(line: string): Parsed {
  const entry = read(line)
  return typeof entry === 'string' || entry.isCombined
    ? entry
    : 'a referrer and an agent in quotes at the end'
}

function read(line: string): CommonEntry | string {
  const ipEnd = line.indexOf(' ')
  const identEnd = line.indexOf(' ', ipEnd + 1)
  if (ipEnd < 1 || identEnd < 0) return 'an address, two names and a time in brackets'
  const time = timeIn(line, identEnd)
  if (time === undefined) return 'a time in brackets such as [10/Oct/2000:13:55:36 -0700]'
  const request = quotedAt(line, time.end + 1)
  if (request === undefined) return 'a request in quotes behind the time'
  statusAndBytes.lastIndex = request.end
  if (!statusAndBytes.test(line)) return 'a status and a number of bytes behind the request'
  const rest = statusAndBytes.lastIndex
  const places = { ipEnd, userStart: identEnd + 1, userEnd: time.start, request, status: request.end, rest }
  return new CommonEntry(line, time.atUs, places)
}

/** Cuts a field out of the line only when it is asked for: most are not. */
class CommonEntry implements Entry {
  readonly atUs: number
  readonly #line: string
  readonly #places: Places

  constructor(line: string, atUs: number, places: Places) {
    this.atUs = atUs
    this.#line = line
    this.#places = places
  }

  get isCombined(): boolean {
    return this.#agent !== undefined
  }

  field(name: string): string | undefined {
    const value = this.#cut(name)
    return value === '-' || value === '' ? undefined : value
  }

  get #referrer(): Quoted | undefined {
    return quotedAt(this.#line, this.#places.rest)
  }

  get #agent(): Quoted | undefined {
    const referrer = this.#referrer
    return referrer === undefined ? undefined : quotedAt(this.#line, referrer.end + 1)
  }

  #cut(name: string): string | undefined {
    const { ipEnd, userStart, userEnd, request, status } = this.#places
    switch (name) {
      case 'ip':
        return this.#line.slice(0, ipEnd)
      case 'user':
        return this.#line.slice(userStart, userEnd)
      case 'method':
        return request.text.split(' ', 1)[0]
      case 'path':
        return request.text.split(' ', 2)[1]
      case 'status':
        return this.#line.slice(status).split(' ', 2)[1]
      case 'bytes':
        return this.#line.slice(status).split(' ', 3)[2]
      case 'referrer':
        return this.#referrer?.text
      case 'agent':
        return this.#agent?.text
      default:
        return undefined
    }
  }
}

/** A user's name before it may hold brackets, too. */
function timeIn(line: string, from: number): Found | undefined {
  for (let close = line.indexOf(']', from); close >= 0; close = line.indexOf(']', close + 1)) {
    const earliest = Math.max(from, close - longestTime)
    const open = line.slice(earliest, close).lastIndexOf(' [')
    if (open < 0) continue
    const text = line.slice(earliest + open + 2, close)
    const atUs = clfUs(text) ?? timeUs(text)
    if (atUs !== undefined) return { atUs, start: earliest + open, end: close + 1 }
  }
  return undefined
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
