import { Agent } from 'node:http'
import { types } from 'node:util'
import { isRecord } from '@sluice/core/internal'
import type { CrowdTicket, RunOrder } from '../endpoint/index.ts'
import { oneLine } from '../one-line.ts'
import { exchange, type Received } from './exchange.ts'
import { Failure } from './failure.ts'

/** The answer to one client. */
export type Answer =
  /** Times by the server's clock. */
  | { readonly kind: 'admitted'; readonly askedUs: number; readonly answeredUs: number }
  | { readonly kind: 'refused' }
  /** The server answered something else. */
  | { readonly kind: 'odd'; readonly why: string }
  /** No answer came. */
  | { readonly kind: 'none'; readonly why: string }

/** A run that is open. */
export interface OpenRun {
  readonly url: URL
  readonly tickets: URL
}

/** The most simultaneous requests. */
export const maxAtOnce = 256

/** The load-test endpoint of a server, over HTTP. */
export class EndpointClient {
  readonly #base: URL
  // Servers close a connection after five idle seconds; a request sent at that moment would get no answer.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: maxAtOnce, timeout: 4000 })

  constructor(server: URL) {
    this.#base = new URL('crowd', server)
  }

  /** Rejects with a Failure that says why the server refuses the run. */
  async open(order: RunOrder): Promise<OpenRun> {
    const { status, body } = await this.#send(this.#base, 'POST', order)
    const { origin } = this.#base
    if (status === 201) return this.#opened(body)
    if (status === 404)
      throw new Failure(`${origin} has no load-test endpoint: is it a zoo without --no-crowd?`)
    throw new Failure(`${origin} refuses the crowd (${status}): ${detailOf(body)}`)
  }

  /** Errors are ignored: the run ends automatically. */
  async end({ url }: OpenRun): Promise<void> {
    await exchange(url, { method: 'DELETE', agent: this.#agent }).catch(() => {})
  }

  /** Never rejects. */
  async ask({ tickets }: OpenRun, visitor: string): Promise<Answer> {
    try {
      const headers = { 'X-Visitor': visitor }
      return answerOf(await exchange(tickets, { method: 'POST', agent: this.#agent, headers }))
    } catch (error) {
      return { kind: 'none', why: reasonOf(error) }
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  /** Accepts only addresses on the same origin, so that a server cannot redirect the crowd. */
  #opened(body: string): OpenRun {
    const { run, tickets } = fieldsOf(body)
    if (typeof run === 'string' && typeof tickets === 'string' && URL.canParse(tickets, this.#base.href)) {
      const opened = { url: new URL(`crowd/${run}`, this.#base), tickets: new URL(tickets, this.#base) }
      if (Object.values(opened).every(({ origin }) => origin === this.#base.origin)) return opened
    }
    throw new Failure(`${this.#base.origin} does not answer like a load-test endpoint`)
  }

  async #send(url: URL, method: string, value: object): Promise<Received> {
    try {
      const headers = { 'Content-Type': 'application/json' }
      return await exchange(url, { method, agent: this.#agent, headers, body: JSON.stringify(value) })
    } catch (error) {
      throw new Failure(`no answer from ${url.origin} (${reasonOf(error)})`)
    }
  }
}

function answerOf({ status, body }: Received): Answer {
  if (status === 429) return { kind: 'refused' }
  if (status !== 201) return { kind: 'odd', why: `status ${status}` }
  const { askedUs, answeredUs }: Partial<Record<keyof CrowdTicket, unknown>> = fieldsOf(body)
  if (typeof askedUs === 'number' && typeof answeredUs === 'number')
    return { kind: 'admitted', askedUs, answeredUs }
  return { kind: 'odd', why: 'a ticket without its times' }
}

/** The detail of a problem; anything else on one line. */
function detailOf(body: string): string {
  const { detail } = fieldsOf(body)
  return typeof detail === 'string' ? oneLine(detail) : JSON.stringify(body.slice(0, 200))
}

/** The fields of a JSON object; none for anything else. */
function fieldsOf(body: string): { readonly [field: string]: unknown } {
  try {
    const value: unknown = JSON.parse(body)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/** A code such as ECONNREFUSED, or else the message. */
function reasonOf(error: unknown): string {
  if (!types.isNativeError(error)) return String(error)
  return 'code' in error ? String(error.code) : error.message
}
