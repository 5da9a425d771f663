import type { ServerResponse } from 'node:http'
import { PassThrough, pipeline, Readable } from 'node:stream'
import type { Exchange } from './site.ts'

/** Where the server takes a response for written already. */
const alreadySent = { headers: { 'x-hono-already-sent': 'true' } }

/** A body of bytes: a stream of Node's may be one of texts. */
function bodyOf(stream: Readable): ReadableStream {
  const bytes = new PassThrough()
  // An error is the reader's, too.
  pipeline(stream, bytes, () => {})
  return Readable.toWeb(bytes) as ReadableStream
}

/** What an exchange reads of its application. */
interface Around {
  /** What the application gives to the functions of options. */
  readonly request: object
  readonly raw: ServerResponse
  decision(): Exchange['decision']
}

/** One request's exchange: what a handler sets and sends becomes a Response. */
export class WebExchange implements Exchange {
  readonly request: object
  readonly raw: ServerResponse
  readonly #decision: Around['decision']
  readonly #headers = new Headers()
  #response: Response | undefined
  #takenOver = false

  constructor({ request, raw, decision }: Around) {
    this.request = request
    this.raw = raw
    this.#decision = decision
  }

  get decision(): Exchange['decision'] {
    return this.#decision()
  }

  readonly set: Exchange['set'] = (name, value) => this.#headers.set(name, value)

  readonly takeOver = (): void => {
    this.#takenOver = true
  }

  readonly send: Exchange['send'] = (status, body) => {
    const content = typeof body === 'object' ? bodyOf(body) : (body ?? null)
    const none = status === 204 || status === 304
    this.#response = new Response(none ? null : content, { status, headers: this.#headers })
  }

  /** What a handler writes by Node's own means is written; one that answers nothing has no client any more. */
  get response(): Response {
    if (this.#takenOver || this.raw.headersSent) return new Response(null, alreadySent)
    return this.#response ?? new Response(null, { status: 499 })
  }

  /** What was set ahead of the limiters. */
  add(response: Response, headers: Headers | Readonly<Record<string, string>> = this.#headers): Response {
    for (const [name, value] of new Headers(headers)) response.headers.set(name, value)
    return response
  }
}
