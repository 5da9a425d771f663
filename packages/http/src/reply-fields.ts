import type { HeaderPort } from './merge.ts'

/** As much of Fastify's reply as fields need. */
interface Reply {
  readonly raw: { readonly headersSent: boolean }
  getHeader(name: string): unknown
  header(name: string, value: string): unknown
}

/** The headers of Fastify's reply under the names of a response's. */
export class ReplyFields implements HeaderPort {
  readonly #reply: Reply

  constructor(reply: Reply) {
    this.#reply = reply
  }

  get headersSent(): boolean {
    return this.#reply.raw.headersSent
  }

  getHeader(name: string): unknown {
    return this.#reply.getHeader(name)
  }

  setHeader(_name: string, value: string, lowerName: string): void {
    this.#reply.header(lowerName, value)
  }
}
