import type { IncomingMessage, ServerResponse } from 'node:http'
import { whenClosed } from '@sluice/http/internal'
import { answerProblem, begin } from './answer.ts'
import type { Broadcaster } from './broadcaster.ts'
import { Client } from './client.ts'
import { eventText, retryText } from './event-text.ts'
import type { Span } from './history.ts'
import type { DashboardSettings } from './options.ts'
import { type Hello, spans } from './wire.ts'

/** The most open pages. */
const maxClients = 100
const defaultSpan = { seconds: 300, stepSeconds: 1 }

/** The streams of events, one for each open page. */
export class Streams {
  readonly #broadcaster: Broadcaster
  readonly #options: DashboardSettings
  readonly #boot: string
  readonly #open = new Set<Client>()
  #closed = false

  constructor(broadcaster: Broadcaster, options: DashboardSettings, boot: string) {
    this.#broadcaster = broadcaster
    this.#options = options
    this.#boot = boot
  }

  async open(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> {
    if (this.#closed || this.#open.size >= maxClients) {
      answerProblem(response, 503, 'Too many pages are open.', { 'Retry-After': '5' })
      return
    }
    const span = spans.find(({ seconds }) => String(seconds) === query.get('span')) ?? defaultSpan
    const client = new Client(response)
    this.#open.add(client)
    whenClosed(response, () => this.#open.delete(client))
    const mayManage = await this.#options.mayManage(request)
    const maskKeys = await this.#options.masksFor(request, mayManage)
    if (response.destroyed || !this.#open.has(client)) return
    // A kept-alive connection would hold up a closing server, and the page would keep asking through it.
    response.shouldKeepAlive = false
    begin(response, 200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      // Compression by a proxy would hold events back.
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    })
    if (request.method === 'HEAD') {
      response.end()
      return
    }
    client.write(retryText + this.#hello(span, { mayManage, maskKeys }))
    whenClosed(
      response,
      this.#broadcaster.join(client, { ...span, masked: maskKeys }, query.get('rows') === 'all'),
    )
  }

  close(): void {
    this.#closed = true
    for (const client of this.#open) client.end()
    this.#open.clear()
    this.#broadcaster.stop()
  }

  #hello(span: Span, permitted: Pick<Hello, 'mayManage' | 'maskKeys'>): string {
    return eventText({
      event: 'hello',
      nowMs: Math.floor(this.#options.recorder.nowMs()),
      spanSeconds: span.seconds,
      stepSeconds: span.stepSeconds,
      ...permitted,
      boot: this.#boot,
    })
  }
}
