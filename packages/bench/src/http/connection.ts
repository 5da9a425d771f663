import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const endOfHead = '\r\n\r\n'

/** A client's keep-alive connection: one request after another. */
export class Connection {
  readonly #socket: Socket
  #text = ''
  #answered: ((response: string) => void) | undefined
  #failed: ((error: Error) => void) | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => this.#read(chunk))
    socket.on('error', (error) => this.#failed?.(error))
    socket.on('close', () => this.#failed?.(new Error('The server has closed a connection.')))
  }

  static async open(host: string, port: number): Promise<Connection> {
    const socket = connect(port, host)
    await once(socket, 'connect')
    return new Connection(socket)
  }

  /** Resolves to the whole response. */
  request(bytes: Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve
      this.#failed = reject
      this.#socket.write(bytes)
    })
  }

  #read(chunk: string): void {
    this.#text += chunk
    const end = this.#text.indexOf(endOfHead)
    if (end < 0) return
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(this.#text)?.[1])
    if (this.#text.length < end + endOfHead.length + length) return
    const response = this.#text
    this.#text = ''
    this.#answered?.(response)
  }
}
