import { once } from 'node:events'
import http, { type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Message, Totals } from '../src/wire.ts'

/** A server on loopback. */
export interface Site {
  readonly origin: string
  readonly port: number
  close(): Promise<void>
}

export async function listen(handle: RequestListener): Promise<Site> {
  const server = http.createServer(handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Of<E extends Message['event']> = Extract<Message, { readonly event: E }>

/** A page that listens, as EventSource does. */
export class Listener {
  readonly all: Message[] = []
  readonly #request: http.ClientRequest
  #changed: () => void = () => {}

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#request = http.get(url, { headers, agent: false }, (response) => this.#read(response))
    this.#request.on('error', () => {})
  }

  #read(response: IncomingMessage): void {
    let text = ''
    response.on('error', () => {})
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) if (event.startsWith('data: ')) this.all.push(JSON.parse(event.slice(6)))
      this.#changed()
    })
  }

  last<E extends Message['event']>(event: E): Of<E> | undefined {
    return this.all.filter((message): message is Of<E> => message.event === event).at(-1)
  }

  /** What the page shows of all rows now. */
  get totals(): Totals | undefined {
    return this.all.findLast((message) => message.event === 'history' || message.event === 'second')?.totals
  }

  /** Waits until the page shows it. */
  async shows(is: (listener: this) => boolean): Promise<void> {
    while (!is(this)) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }

  /** The first message of a kind that is as is asked, also if it has come before. */
  async until<E extends Message['event']>(
    event: E,
    is: (message: Of<E>) => boolean = () => true,
  ): Promise<Of<E>> {
    for (;;) {
      const found = this.all.find(
        (message): message is Of<E> => message.event === event && is(message as Of<E>),
      )
      if (found !== undefined) return found
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }

  close(): void {
    this.#request.destroy()
  }
}
