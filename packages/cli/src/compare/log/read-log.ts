import { AddressedEntry } from '../client/addressed-entry.ts'
import type { Asked } from '../client/choose.ts'
import { Chooser, type Waiting } from '../client/chooser.ts'
import type { Request, Requests } from '../request.ts'
import type { RequestReader } from '../request-reader.ts'
import type { Source } from './bytes.ts'
import type { Parse } from './entry.ts'
import type { Findings } from './findings.ts'
import { linesOf } from './lines.ts'
import { merged } from './merge.ts'
import { Order } from './order.ts'
import { Pieces } from './pieces.ts'

export interface Reading {
  /** Makes the parser of one log. */
  readonly parser: () => Parse
  readonly client: Asked
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
  const log = new Log(source.name, reading)
  for await (const lines of linesOf(source.bytes(progress))) {
    const ready = order.add(log.requestsIn(lines))
    if (ready.length > 0) yield ready
  }
  yield order.add(log.rest())
  yield order.rest()
  reading.findings.movedOn(order.movedOn)
}

/** One log while it is read. */
class Log {
  readonly #name: string
  readonly #reading: Reading
  readonly #parse: Parse
  readonly #chooser: Chooser
  readonly #pieces = new Pieces()
  #lines = 0

  constructor(name: string, reading: Reading) {
    this.#name = name
    this.#reading = reading
    this.#parse = reading.parser()
    this.#chooser = new Chooser(reading.client)
  }

  requestsIn(lines: readonly string[]): readonly Request[] {
    const requests: Request[] = []
    for (const line of lines) {
      this.#lines++
      const whole = this.#pieces.whole(line)
      if (whole !== undefined) this.#addAll(requests, this.#read(whole))
    }
    return requests
  }

  /** The requests that waited until the end of a short log. */
  rest(): readonly Request[] {
    const requests: Request[] = []
    for (const line of this.#pieces.rest()) this.#addAll(requests, this.#read(line))
    this.#addAll(requests, this.#chooser.rest())
    this.#reading.findings.chose(this.#name, this.#chooser.choices)
    return requests
  }

  #read(line: string): readonly Waiting[] {
    const number = this.#lines
    if (line.trim() === '') return []
    const entry = this.#parse(line)
    if (entry === undefined) return []
    this.#reading.findings.line()
    if (typeof entry !== 'string') return this.#chooser.add({ entry, line, number })
    this.#malformed({ line, number }, entry)
    return []
  }

  #addAll(requests: Request[], all: Iterable<Waiting>): void {
    for (const waiting of all) this.#addTo(requests, waiting)
  }

  #addTo(requests: Request[], waiting: Waiting): void {
    const { toRequest, findings, client } = this.#reading
    const ip = this.#chooser.clientOf(waiting.entry)
    const entry = new AddressedEntry(waiting.entry, ip)
    const request = toRequest(entry)
    if (typeof request === 'string') this.#malformed(waiting, request)
    else if (request !== undefined) {
      findings.request(ip)
      requests.push(request)
    } else if (waiting.entry.isRequest || client.field !== undefined)
      findings.withoutKey(entry.lacks, waiting.entry)
    else findings.other()
  }

  #malformed({ line, number }: Pick<Waiting, 'line' | 'number'>, expected: string): void {
    this.#reading.findings.malformed({
      source: this.#name,
      line: number,
      text: line,
      reason: `expected ${expected}`,
    })
  }
}
