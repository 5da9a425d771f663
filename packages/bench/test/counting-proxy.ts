import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** Stands between clients and a server, and counts the bytes of both directions. */
export class CountingProxy {
  sentBytes = 0
  receivedBytes = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const real = connect(port, '127.0.0.1')
      client.on('data', (bytes) => {
        this.sentBytes += bytes.length
      })
      real.on('data', (bytes) => {
        this.receivedBytes += bytes.length
      })
      client.pipe(real).pipe(client)
      for (const socket of [client, real]) this.#sockets.add(socket.on('error', () => {}))
    })
  }

  /** Before the server of a port on this machine. */
  static async before(port: number): Promise<CountingProxy> {
    const proxy = new CountingProxy(port)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('a port is a number')
    return address.port
  }

  reset(): void {
    this.sentBytes = 0
    this.receivedBytes = 0
  }

  async end(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
