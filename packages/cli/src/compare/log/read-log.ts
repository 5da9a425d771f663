import type { Asking } from '../asking.ts'
import type { LogFacts } from '../comparison.ts'
import type { Request, Requests } from '../request.ts'
import type { Source } from './bytes.ts'
import type { Parse } from './entry.ts'
import { linesOf } from './lines.ts'
import { merged } from './merge.ts'
import { Order } from './order.ts'

const longestShown = 120

/** What is found while logs are read. */
export class Findings {
  #lines = 0
  #malformed = 0
  #movedOn = 0
  #withoutKey = 0
  #first: LogFacts['firstMalformed'] = null

  line(): void {
    this.#lines++
  }

  malformed(first: NonNullable<LogFacts['firstMalformed']>): void {
    if (this.#malformed++ === 0) this.#first = { ...first, text: first.text.slice(0, longestShown) }
  }

  movedOn(requests: number): void {
    this.#movedOn += requests
  }

  withoutKey(): void {
    this.#withoutKey++
  }

  get facts(): LogFacts {
    return {
      lines: this.#lines,
      malformed: this.#malformed,
      firstMalformed: this.#first,
      movedOn: this.#movedOn,
      withoutKey: this.#withoutKey,
    }
  }
}

export interface Reading {
  readonly parse: Parse
  readonly asking: Asking
  readonly findings: Findings
  /** Bytes read of all sources so far. */
  readonly progress: (read: number) => void
}

/** The requests of all logs in the order of their times. */
export function readLogs(sources: readonly Source[], reading: Reading): Requests {
  const read = new Map<Source, number>()
  const streams = sources.map((source) =>
    readLog(source, reading, (bytes) => {
      read.set(source, bytes)
      reading.progress([...read.values()].reduce((sum, each) => sum + each, 0))
    }),
  )
  const [only] = streams
  return streams.length === 1 && only !== undefined ? only : merged(streams)
}

async function* readLog(
  source: Source,
  reading: Reading,
  progress: (read: number) => void,
): AsyncGenerator<readonly Request[]> {
  const order = new Order()
  let number = 0
  for await (const lines of linesOf(source.bytes(progress))) {
    const requests: Request[] = []
    for (const line of lines) {
      number++
      const request = requestIn(line, { source: source.name, line: number }, reading)
      if (request !== undefined) requests.push(request)
    }
    const ready = order.add(requests)
    if (ready.length > 0) yield ready
  }
  yield order.rest()
  reading.findings.movedOn(order.movedOn)
}

function requestIn(
  line: string,
  where: { readonly source: string; readonly line: number },
  { parse, asking, findings }: Reading,
): Request | undefined {
  if (line.trim() === '') return undefined
  findings.line()
  const entry = parse(line)
  const request = typeof entry === 'string' ? entry : asking(entry)
  if (typeof request === 'string')
    return findings.malformed({ ...where, text: line, reason: `expected ${request}` }) ?? undefined
  if (request === undefined) findings.withoutKey()
  return request
}
