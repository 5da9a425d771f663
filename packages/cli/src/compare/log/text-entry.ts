import { canonicalAddress } from '@sluice/http/internal'
import { type LogEntry, type Parsed, writtenValue } from './entry.ts'
import { usualPlaces } from './places.ts'
import { recordEntry } from './record-entry.ts'
import { type RequestPlace, requestIn, statusIn, statusPlace } from './request-place.ts'
import { frontTimePlace, type TimePlace, timeIn } from './time-place.ts'
import { cellTokensOf, type Token, tokensOf } from './tokens.ts'

/**
 * Reads a line of text that has a time and an HTTP request, wherever they stand: the common log format and most others. Its fields
 * are numbered from the left: `1`, `2` and so on up to the request, and `+1`, `+2` behind it, so that a user's name with spaces moves
 * none of the latter; those written as `name=value` have that name.
 */
export function parseText(line: string, frontTime?: string): Parsed {
  const entry = ofTokens(line, tokensOf(line), frontTime)
  if (typeof entry !== 'string') return entry
  const cells = cellTokensOf(line)
  const inCells = cells && ofTokens(line, cells, frontTime)
  return typeof inCells === 'object' ? inCells : entry
}

function ofTokens(line: string, tokens: readonly Token[], frontTime: string | undefined): Parsed {
  const time = timeIn(line, tokens) ?? frontTimePlace(frontTime)
  const named = namesOf(tokens)
  // The number of its microseconds reads as a time as well.
  const record =
    named.size < fewestNames
      ? undefined
      : recordEntry(Object.fromEntries(named), usualPlaces, time && String(time.atUs))
  if (typeof record === 'object' && record.isRequest) return record
  if (time === undefined) return timeWanted(line)
  const request = requestIn(tokens, time.token)
  if (request === undefined) return 'a request such as "GET /a HTTP/1.1"'
  const status = statusPlace(tokens, request, time.token)
  const entry = new TextEntry(line, { tokens, named, time, request, status })
  // A line without a status may be of a log of errors, which names requests as well; or of Rails, which logs that a request has begun.
  return entry.hasStatus || tokens[request.first - 1]?.text === 'Started'
    ? entry
    : 'a status beside the request'
}

function timeWanted(line: string): string {
  return timelessMorgan.test(line)
    ? "a time, which morgan leaves out of its formats dev, tiny and short: write morgan('combined')"
    : 'a time such as 10/Oct/2000:13:55:36 -0700 or 2000-10-10T20:55:36Z'
}

/** Of morgan's formats, `tiny` and `short` end with the milliseconds, and `dev` has the length of the answer behind them. */
const timelessMorgan =
  /(?:^| )[A-Z]{3,9} \S+ (?:HTTP\/[\d.]+ )?(?:\d{3}|-) (?:(?:\d+|-) - )?[\d.-]+ ms(?: - (?:\d+|-))?$/

/** A line with fewer pairs of name and value is not read as a record of them. */
const fewestNames = 4

/** Does the same as `parseText`, but requires a referrer and an agent in quotes. */
export function parseCombined(line: string, frontTime?: string): Parsed {
  const entry = parseText(line, frontTime)
  return entry instanceof TextEntry && !entry.isCombined
    ? 'a referrer and an agent in quotes at the end'
    : entry
}

const none: ReadonlyMap<string, string> = new Map()

function namesOf(tokens: readonly Token[]): ReadonlyMap<string, string> {
  let named: Map<string, string> | undefined
  for (const { name, text } of tokens) if (name !== undefined) named = (named ?? new Map()).set(name, text)
  return named ?? none
}

interface Places {
  readonly tokens: readonly Token[]
  readonly named: ReadonlyMap<string, string>
  readonly time: TimePlace
  readonly request: RequestPlace
  readonly status: number
}

/** Extracts a field only when it is needed: most are not. */
class TextEntry implements LogEntry {
  readonly atUs: number
  readonly isRequest = true
  readonly #line: string
  readonly #places: Places

  constructor(line: string, places: Places) {
    this.atUs = places.time.atUs
    this.#line = line
    this.#places = places
  }

  get hasStatus(): boolean {
    return this.#places.status >= 0 || this.#cut('status') !== undefined
  }

  get isCombined(): boolean {
    const { tokens, request } = this.#places
    const [, , referrer, agent] = tokens.slice(request.behind)
    return referrer?.quoted === true && agent?.quoted === true && this.#line[agent.end - 1] === '"'
  }

  names(): readonly string[] {
    const { tokens, request } = this.#places
    const names: string[] = []
    for (const [i, { name }] of tokens.entries()) {
      if (i < request.first) names.push(name ?? String(i + 1))
      else if (i >= request.behind) names.push(name ?? `+${i - request.behind + 1}`)
    }
    return names
  }

  field(name: string): string | undefined {
    return writtenValue(name, this.#cut(name))
  }

  #cut(name: string): string | undefined {
    const { tokens, named, request, status } = this.#places
    switch (name) {
      case 'user':
        return this.#user()
      case 'method':
        return request.method
      case 'path':
        return request.path
      case 'status':
        return statusIn(tokens, status)
      case 'bytes':
        return this.#digitsBehind(status)
      case 'referrer':
        return this.#quotedBehind(3)
      case 'agent':
        return this.#quotedBehind(4)
      default:
        return named.get(name) ?? this.#numbered(name)
    }
  }

  #numbered(name: string): string | undefined {
    if (!/^[-+]?[1-9]\d{0,3}$/.test(name)) return undefined
    const { tokens, request } = this.#places
    const number = Number(name)
    if (name.startsWith('-')) return tokens.at(number)?.text
    if (name.startsWith('+')) return tokens[request.behind + number - 1]?.text
    return number <= request.first ? tokens[number - 1]?.text : undefined
  }

  /** The user: what stands behind the address and a name that logs never know, and before the time. */
  #user(): string | undefined {
    const { tokens, time } = this.#places
    let address = tokens.findIndex(({ text }) => isAddress(text))
    while (address >= 0 && isHop(this.#line, tokens[address + 1]) && address + 3 < time.token) address++
    const [before, last] = [tokens[address + 1], tokens[time.token]]
    if (address < 0 || before === undefined || last === undefined || before.end >= last.start)
      return undefined
    return this.#line.slice(before.end + 1, last.start - 1)
  }

  #digitsBehind(place: number): string | undefined {
    const text = place < 0 ? undefined : this.#places.tokens[place + 1]?.text
    return text !== undefined && /^(?:\d+|-)$/.test(text) ? text : undefined
  }

  #quotedBehind(number: number): string | undefined {
    const token = this.#places.tokens[this.#places.request.behind + number - 1]
    return token?.quoted === true ? token.text : undefined
  }
}

function isAddress(text: string): boolean {
  return canonicalAddress(text) !== undefined
}

/** Whether a token is another address beside the first, or a chain in parentheses. */
function isHop(line: string, token: Token | undefined): boolean {
  return token !== undefined && (line[token.start] === '(' || isAddress(token.text))
}
