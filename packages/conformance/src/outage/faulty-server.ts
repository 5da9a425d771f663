import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** What becomes of the bytes of a real server's replies. */
export type Fault =
  /** They pass. */
  | { readonly fault: 'none' }
  /** Connections are accepted, nothing is ever answered. */
  | { readonly fault: 'silence' }
  /** Half of a reply, then the end of the connection. */
  | { readonly fault: 'hang up' }
  /** They arrive late by so much. */
  | { readonly fault: 'delay'; readonly ms: number }

/** A TCP server in front of a real one, with faults that can be chosen while connections are open. */
export class FaultyServer {
  readonly #server: Server
  #target: string | number
  readonly #sockets = new Set<Socket>()
  #fault: Fault = { fault: 'none' }

  /** `target`: the unix socket of the real server, or its port. */
  constructor(target: string | number) {
    this.#target = target
    this.#server = createServer((socket) => this.#serve(socket))
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('it is not started')
    return `redis://127.0.0.1:${address.port}`
  }

  /** From the next reply on, on every connection. */
  become(fault: Fault): void {
    this.#fault = fault
  }

  /** Open connections go silent for ever, as if a cable were cut; new ones are served as the fault says. */
  cutCables(): void {
    for (const socket of this.#sockets) socket.removeAllListeners('data').pause()
  }

  /** New connections lead to another server, as when a name gets a new address; open ones stay. */
  leadTo(target: string | number): void {
    this.#target = target
  }

  async end(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #serve(socket: Socket): void {
    const target = this.#target
    const real = typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1')
    for (const [one, other] of [
      [socket, real],
      [real, socket],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
    }
    socket.on('data', (bytes) => real.write(bytes))
    real.on('data', (bytes) => this.#answer(socket, bytes))
  }

  #answer(socket: Socket, bytes: Buffer): void {
    switch (this.#fault.fault) {
      case 'none':
        socket.write(bytes)
        break
      case 'silence':
        break
      case 'hang up':
        socket.end(bytes.subarray(0, Math.ceil(bytes.length / 2)))
        break
      case 'delay':
        setTimeout(() => socket.write(bytes), this.#fault.ms)
    }
  }
}
