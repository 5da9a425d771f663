import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'

/** What of Node's request scenarios read. */
class Asked {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly socket: { readonly remoteAddress: string | undefined }

  constructor({ method, url, headers }: Request, remoteAddress: string | undefined) {
    const { pathname, search } = new URL(url)
    this.method = method
    this.url = `${pathname}${search}`
    this.headers = Object.fromEntries(headers)
    this.socket = { remoteAddress }
  }

  /** What nobody reads of a request is the runtime's to take. */
  resume(): void {}
}

/** Stands where Node has its response: it tells when the client has gone, or the answer is sent. */
export class Answer extends EventEmitter {
  readonly req: Asked
  readonly headersSent = false
  destroyed = false

  constructor(request: Request, remoteAddress: string | undefined) {
    super()
    this.req = new Asked(request, remoteAddress)
    request.signal.addEventListener('abort', () => this.over(), { once: true })
  }

  over(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }

  get raw(): ServerResponse {
    return this as unknown as ServerResponse // scenarios that need more of it are skipped
  }
}

/** The answers of one server. */
export class Answers {
  readonly #all = new WeakMap<Request, Answer>()
  #open = 0
  readonly #none: (() => void)[] = []

  get open(): number {
    return this.#open
  }

  /** Once all are sent, or their clients gone. */
  over(): Promise<void> {
    return this.#open === 0 ? Promise.resolve() : new Promise((resolve) => this.#none.push(resolve))
  }

  of(request: Request, remoteAddress: string | undefined): Answer {
    const known = this.#all.get(request)
    if (known !== undefined) return known
    const answer = new Answer(request, remoteAddress)
    this.#open++
    answer.once('close', () => this.#closed())
    this.#all.set(request, answer)
    return answer
  }

  #closed(): void {
    if (--this.#open === 0) for (const tell of this.#none.splice(0)) tell()
  }
}
