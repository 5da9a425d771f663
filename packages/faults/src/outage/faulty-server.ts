import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Fault } from './fault.ts'
import { Link } from './link.ts'
import { listenAt } from './listen-at.ts'

/** A TCP server in front of a real one, with faults that can be chosen while connections are open. */
export class FaultyServer {
  // A client that has ended its own side may still read.
  readonly #server: Server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket))
  readonly #links = new Set<Link>()
  #target: string | number
  #port = 0
  #fault: Fault = { fault: 'none' }

  /** `target`: the unix socket of the real server, or its port. */
  constructor(target: string | number) {
    this.#target = target
  }

  /** Listens; once it was started, always on the same port. */
  async start(): Promise<void> {
    this.#port = await listenAt(this.#server, this.#port)
  }

  get url(): string {
    if (this.#port === 0) throw new Error('it is not started')
    return `redis://127.0.0.1:${this.#port}`
  }

  /** Sets the fault from the next bytes on, on every connection. */
  become(fault: Fault): void {
    this.#fault = fault
    for (const link of this.#links) link.answerHeld()
  }

  /** Open connections go silent for ever, as if a cable were cut; new ones are served as the fault says. */
  cutCables(): void {
    for (const link of this.#links) link.silence()
  }

  /** Open connections end at once; new ones are served as the fault says. */
  cut(): void {
    for (const link of this.#links) link.cut()
  }

  /** Ends only the server's side of open connections. */
  halfClose(): void {
    for (const link of this.#links) link.halfClose()
  }

  /** Ends open connections, and stops listening until it is started again. */
  async refuse(): Promise<void> {
    this.#server.close()
    this.cut()
    await once(this.#server, 'close')
  }

  /** New connections lead to another server, as when a name gets a new address; open ones stay. */
  leadTo(target: string | number): void {
    this.#target = target
  }

  async end(): Promise<void> {
    if (this.#server.listening) await this.refuse()
  }

  #serve(client: Socket): void {
    const target = this.#target
    const real = typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1')
    const link = new Link({ client, real }, () => this.#fault)
    this.#links.add(link)
    link.whenClosed(() => this.#links.delete(link))
  }
}
