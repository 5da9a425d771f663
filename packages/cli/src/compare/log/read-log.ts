import type { LogFacts } from '../comparison.ts'
import type { Request, Requests } from '../request.ts'
import type { RequestReader } from '../request-reader.ts'
import type { Source } from './bytes.ts'
import type { Parse } from './entry.ts'
import { linesOf } from './lines.ts'
import { merged } from './merge.ts'
import { Order } from './order.ts'

const maxShownLength = 120

/** Collects facts while logs are read. */
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
    if (this.#malformed++ === 0) this.#first = { ...first, text: first.text.slice(0, maxShownLength) }
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
  readonly toRequest: RequestReader
  readonly findings: Findings
  /** Called with the bytes read from all sources so far. */
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
  { parse, toRequest, findings }: Reading,
): Request | undefined {
  if (line.trim() === '') return undefined
  findings.line()
  const entry = parse(line)
  const request = typeof entry === 'string' ? entry : toRequest(entry)
  if (typeof request === 'string')
    return findings.malformed({ ...where, text: line, reason: `expected ${request}` }) ?? undefined
  if (request === undefined) findings.withoutKey()
  return request
}
