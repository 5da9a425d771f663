import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A bare connection: says lines, keeps what comes back. */
export class RawClient {
  readonly #socket: Socket
  /** All that was answered. */
  heard = ''
  /** No more answers come. */
  ended = false
  /** Nothing can be said any more either. */
  closed = false

  private constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    this.#socket.on('error', () => {})
    this.#socket.on('data', (bytes) => {
      this.heard += bytes
    })
    this.#socket.on('end', () => {
      this.ended = true
    })
    this.#socket.on('close', () => {
      this.ended = true
      this.closed = true
    })
  }

  /** Rejects where nobody listens. */
  static async to(url: string): Promise<RawClient> {
    const client = new RawClient(Number(new URL(url).port))
    await once(client.#socket, 'connect')
    return client
  }

  say(line: string): void {
    this.#socket.write(`${line}\r\n`)
  }

  leave(): void {
    this.#socket.destroy()
  }
}
