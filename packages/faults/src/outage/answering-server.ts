import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { Commands, encode, type Reply } from './resp.ts'

/** A TCP server that greets clients as Redis does, and answers all else as a test wants. */
export class AnsweringServer {
  readonly #server: Server = createServer((socket) => this.#serve(socket))
  readonly #sockets = new Set<Socket>()
  readonly #answer: (words: readonly string[]) => Reply

  constructor(answer: (words: readonly string[]) => Reply) {
    this.#answer = answer
  }

  /** Listens on a port that is free. */
  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('it listens on a port')
    return address.port
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  async end(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    const commands = new Commands()
    let protocol = 2
    socket.on('data', (chunk) => {
      for (const words of commands.read(chunk)) {
        if (words[0]?.toUpperCase() === 'HELLO') protocol = Number(words[1] ?? 2)
        socket.write(encode(greetingOf(words, protocol) ?? this.#answer(words), protocol))
      }
    })
  }
}

/** The reply to a command that clients send by themselves. */
function greetingOf([command = '']: readonly string[], protocol: number): Reply | undefined {
  switch (command.toUpperCase()) {
    case 'HELLO':
      return {
        map: [
          ['server', 'redis'],
          ['version', '7.0.15'],
          ['proto', protocol],
        ],
        as: 'flat',
      }
    case 'INFO':
      return 'role:master\r\nloading:0\r\n'
    case 'CLIENT':
    case 'SELECT':
    case 'READONLY':
    case 'QUIT':
      return { status: 'OK' }
    default:
      return undefined
  }
}
