import type { Entry, Parsed } from './entry.ts'
import { clfUs, timeUs } from './time.ts'

/** The longest time including the space and bracket before it: bounds the work if the text is no time. */
const maxTimeLength = 40

interface Quoted {
  readonly text: string
  /** After the closing quote. */
  readonly end: number
}

interface TimeField {
  readonly atUs: number
  /** Index of the ` [` before it. */
  readonly start: number
  /** After the closing bracket. */
  readonly end: number
}

/** The positions of the parts of a line. */
interface Places {
  readonly ipEnd: number
  readonly userStart: number
  readonly userEnd: number
  readonly request: Quoted
  /** Index of the space before the status. */
  readonly status: number
  /** Index of the part after the number of bytes. */
  readonly rest: number
}

const statusAndBytes = / (?:\d{3}|-) (?:\d+|-)(?: |$)/y

/**
 * The common log format, and the combined one, which adds the referrer and the agent. Anything after that is not read. One pass
 * over the line for any content, because clients choose the path, the agent and the user's name.
 */
export function parseCommon(line: string): Parsed {
  return read(line)
}

/** As `parseCommon`, but requires referrer and agent. */
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
  if (request === undefined) return 'a request in quotes after the time'
  statusAndBytes.lastIndex = request.end
  if (!statusAndBytes.test(line)) return 'a status and a number of bytes after the request'
  const rest = statusAndBytes.lastIndex
  const places = { ipEnd, userStart: identEnd + 1, userEnd: time.start, request, status: request.end, rest }
  return new CommonEntry(line, time.atUs, places)
}

/** Extracts a field only when it is needed: most are not. */
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

/** Searches all brackets, because the user's name before the time may contain some too. */
function timeIn(line: string, from: number): TimeField | undefined {
  for (let close = line.indexOf(']', from); close >= 0; close = line.indexOf(']', close + 1)) {
    const earliest = Math.max(from, close - maxTimeLength)
    const open = line.slice(earliest, close).lastIndexOf(' [')
    if (open < 0) continue
    const text = line.slice(earliest + open + 2, close)
    const atUs = clfUs(text) ?? timeUs(text)
    if (atUs !== undefined) return { atUs, start: earliest + open, end: close + 1 }
  }
  return undefined
}

/** The quoted text at a position; a backslash escapes the next character. */
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
