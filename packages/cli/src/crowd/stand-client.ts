import { Agent } from 'node:http'
import type { CrowdTicket, OpenedRun, RunOrder } from '@sluice/crowd'
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

/** Clients that ask at the same time. */
export const mostAtOnce = 256

/** The stand of a zoo, over HTTP. */
export class StandClient {
  readonly #base: URL
  // Servers let a connection go after five idle seconds; a request sent just then would have no answer.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: mostAtOnce, timeout: 4000 })

  constructor(server: URL) {
    this.#base = new URL('crowd', server)
  }

  /** Rejects with a Failure that says why the server takes no run. */
  async open(order: RunOrder): Promise<OpenedRun> {
    const { status, body } = await this.#send(this.#base, 'POST', order)
    if (status === 201) return JSON.parse(body) as OpenedRun // the stand's protocol
    const detail = detailOf(body)
    if (status === 404)
      throw new Failure(`${this.#base.origin} has no stand for a crowd: is it a zoo without --no-crowd?`)
    throw new Failure(`${this.#base.origin} takes no crowd (${status}): ${detail}`)
  }

  /** A run that cannot be ended now ends by itself. */
  async end({ run }: OpenedRun): Promise<void> {
    await exchange(new URL(`crowd/${run}`, this.#base), { method: 'DELETE', agent: this.#agent }).catch(
      () => {},
    )
  }

  /** Never rejects. */
  async ask({ tickets }: OpenedRun, visitor: string): Promise<Answer> {
    try {
      const headers = { 'X-Visitor': visitor }
      const url = new URL(tickets, this.#base)
      return answerOf(await exchange(url, { method: 'POST', agent: this.#agent, headers }))
    } catch (error) {
      return { kind: 'none', why: reasonOf(error) }
    }
  }

  close(): void {
    this.#agent.destroy()
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
  const { askedUs, answeredUs } = JSON.parse(body) as Partial<CrowdTicket> // numbers or not, see below
  if (typeof askedUs === 'number' && typeof answeredUs === 'number')
    return { kind: 'admitted', askedUs, answeredUs }
  return { kind: 'odd', why: 'a ticket without its instants' }
}

/** Of a problem; whatever else it is, not on more than a line. */
function detailOf(body: string): string {
  try {
    return String(JSON.parse(body).detail)
  } catch {
    return JSON.stringify(body.slice(0, 200))
  }
}

/** A code such as ECONNREFUSED, or else the message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? String(error.code) : error.message
}
