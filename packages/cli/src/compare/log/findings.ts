import type { Choice } from '../client/choice.ts'
import type { LogFacts } from '../comparison.ts'
import type { LogEntry } from './entry.ts'

const maxShownLength = 120
/** The method, which the line of a request has, whatever else is wrong with it. */
const namesMethod = /\b(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH)\b/
/** So few clients may all be proxies. */
const mostKept = 8
/** The fields that most formats have, and how many are listed. */
const usual = ['ip', 'user', 'method', 'path', 'status', 'bytes']
const mostListed = 20

/** Collects facts while logs are read. */
export class Findings {
  #lines = 0
  #malformed = 0
  #broken = 0
  #movedOn = 0
  #withoutKey = 0
  readonly #lacking = new Map<string, { requests: number; readonly has: readonly string[] }>()
  #others = 0
  #first: LogFacts['firstMalformed'] = null
  readonly #clients: LogFacts['clients'][number][] = []
  readonly #requests = new Map<string, number>()

  line(): void {
    this.#lines++
  }

  malformed(first: NonNullable<LogFacts['firstMalformed']>): void {
    if (namesMethod.test(first.text)) this.#broken++
    if (this.#malformed++ === 0) this.#first = { ...first, text: first.text.slice(0, maxShownLength) }
  }

  movedOn(requests: number): void {
    this.#movedOn += requests
  }

  /** `field`: which the entry lacks. */
  withoutKey(field = 'path', entry?: LogEntry): void {
    this.#withoutKey++
    const lacking = this.#lacking.get(field)
    if (lacking === undefined) this.#lacking.set(field, { requests: 1, has: fieldsOf(entry) })
    else lacking.requests++
  }

  /** A line of something else than a request. */
  other(): void {
    this.#others++
  }

  /** `ip`: the client's address, if the line has one. */
  request(ip: string | undefined): void {
    if (ip === undefined) return
    const known = this.#requests.get(ip)
    if (known !== undefined || this.#requests.size <= mostKept) this.#requests.set(ip, (known ?? 0) + 1)
  }

  chose(source: string, choices: readonly Choice[]): void {
    for (const choice of choices) this.#clients.push({ source, ...choice })
  }

  /** Lines that name an HTTP method and could not be read. */
  get broken(): number {
    return this.#broken
  }

  /** The requests of each address; undefined where there are many addresses. */
  get fewClients(): ReadonlyMap<string, number> | undefined {
    return this.#requests.size > mostKept ? undefined : this.#requests
  }

  get #mostLacking(): LogFacts['lacking'] {
    const [most] = [...this.#lacking].sort(([, a], [, b]) => b.requests - a.requests)
    return most === undefined ? null : { field: most[0], has: most[1].has }
  }

  get facts(): LogFacts {
    return {
      lines: this.#lines,
      malformed: this.#malformed,
      firstMalformed: this.#first,
      movedOn: this.#movedOn,
      withoutKey: this.#withoutKey,
      lacking: this.#mostLacking,
      others: this.#others,
      clients: this.#clients,
    }
  }
}

/** The names of its fields, without those that are numbers. */
function fieldsOf(entry: LogEntry | undefined): readonly string[] {
  if (entry === undefined) return []
  const named = entry.names().filter((name) => !/^\+?\d+$/.test(name))
  return [...new Set([...usual.filter((name) => entry.field(name) !== undefined), ...named])].slice(
    0,
    mostListed,
  )
}
