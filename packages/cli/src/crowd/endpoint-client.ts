import { Agent } from 'node:http'
import { types } from 'node:util'
import { isRecord } from '@sluice/core/internal'
import type { CrowdTicket, RunOrder } from '../endpoint/index.ts'
import { oneLine } from '../one-line.ts'
import { exchange, type Received } from './exchange.ts'
import { Failure } from './failure.ts'

/** What one client was told. */
export type Answer =
  /** By the server's clock. */
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

/** Clients that ask at the same time. */
export const mostAtOnce = 256

/** The load-test endpoint of a server, over HTTP. */
export class EndpointClient {
  readonly #base: URL
  // Servers let a connection go after five idle seconds; a request sent just then would have no answer.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: mostAtOnce, timeout: 4000 })

  constructor(server: URL) {
    this.#base = new URL('crowd', server)
  }

  /** Rejects with a Failure that says why the server takes no run. */
  async open(order: RunOrder): Promise<OpenRun> {
    const { status, body } = await this.#send(this.#base, 'POST', order)
    const { origin } = this.#base
    if (status === 201) return this.#opened(body)
    if (status === 404)
      throw new Failure(`${origin} has no load-test endpoint: is it a zoo without --no-crowd?`)
    throw new Failure(`${origin} takes no crowd (${status}): ${detailOf(body)}`)
  }

  /** A run that cannot be ended now ends by itself. */
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

  /** The crowd goes nowhere else, whatever a server answers. */
  #opened(body: string): OpenRun {
    const { run, tickets } = fieldsOf(body)
    if (typeof run === 'string' && typeof tickets === 'string' && URL.canParse(tickets, this.#base.href)) {
      const opened = { url: new URL(`crowd/${run}`, this.#base), tickets: new URL(tickets, this.#base) }
      if (Object.values(opened).every(({ origin }) => origin === this.#base.origin)) return opened
    }
    throw new Failure(`${this.#base.origin} does not answer as a load-test endpoint does`)
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
  return { kind: 'odd', why: 'a ticket without its instants' }
}

/** Of a problem; whatever else it is, not on more than a line. */
function detailOf(body: string): string {
  const { detail } = fieldsOf(body)
  return typeof detail === 'string' ? oneLine(detail) : JSON.stringify(body.slice(0, 200))
}

/** Of a JSON object; none of whatever else it is. */
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
