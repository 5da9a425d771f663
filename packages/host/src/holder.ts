import type { Server, Socket } from 'node:net'
import type { Desk } from './desk.ts'
import { asGarbled, garbled, reasonOf } from './errors.ts'
import type { Forms } from './forms.ts'
import { Frames, frameOf } from './frames.ts'
import { checkHello, helloFrame } from './hello.ts'
import type { HeldPlace } from './seats.ts'
import { anyQuestion } from './wire/questions.ts'
import { listOf, ReadSheet, wholeOf } from './wire/sheet.ts'
import { asking, type Verb, verbOf } from './wire/verbs.ts'

/** What the holder needs for its answers. */
export interface Holding {
  readonly desk: Desk
  readonly forms: Forms
  /** Called when a connection has brought what no process of Sluice sends. */
  garbled(error: Error): void
}

/** How often the holder looks whether its place is still there. */
const lookEveryMs = 1000

/** The server of the process that holds the counts: it answers the other processes. */
export class Holder {
  readonly #server: Server
  readonly #place: HeldPlace
  readonly #holding: Holding
  readonly #sockets = new Set<Socket>()
  readonly #timer: NodeJS.Timeout

  /** `lost`: its place was removed, and another process may hold the counts by now. */
  constructor(seat: { server: Server; at: HeldPlace }, holding: Holding, lost: () => void) {
    this.#server = seat.server
    this.#place = seat.at
    this.#holding = holding
    seat.server.on('connection', (socket) => this.#greet(socket))
    seat.server.on('error', () => {})
    const look = () => {
      if (!this.#place.holds()) lost()
    }
    this.#timer = setInterval(look, lookEveryMs).unref()
  }

  /** Ends the server: no process finds it any longer, and all that are connected look for another. */
  close(): Promise<void> {
    clearInterval(this.#timer)
    this.#place.leave()
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      for (const socket of this.#sockets) socket.destroy()
    })
  }

  #greet(socket: Socket): void {
    socket.unref()
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    new Conversation(socket, this.#holding)
  }
}

/** One connection. */
class Conversation {
  readonly #socket: Socket
  readonly #holding: Holding
  readonly #frames = new Frames()
  #greeted = false

  constructor(socket: Socket, holding: Holding) {
    this.#socket = socket
    this.#holding = holding
    socket.write(helloFrame())
    socket.on('data', this.#read)
  }

  readonly #read = (piece: Buffer): void => {
    try {
      for (const frame of this.#frames.of(piece)) this.#heard(frame)
    } catch (error) {
      this.#socket.destroy()
      this.#holding.garbled(asGarbled(error))
    }
  }

  #heard(frame: unknown): void {
    if (!this.#greeted) {
      checkHello(frame)
      this.#greeted = true
      return
    }
    const [number, heads, calls] = listOf(frame, 'frame')
    const sheet = new ReadSheet(listOf(heads, 'frame'), this.#holding.forms)
    const asked: ReadCall[] = []
    for (const call of listOf(calls, 'frame')) asked.push(readCall(listOf(call, 'call'), sheet))
    // All calls are read before any is run.
    const answers: unknown[] = []
    for (const each of asked) answers.push(this.#answer(each))
    const written =
      frameOf([wholeOf(number, 'frame'), answers]) ??
      frameOf([number, answers.map(() => 'the answer is too long')])
    if (written !== undefined) this.#socket.write(written)
  }

  /** Runs one call. If it fails, the others do not. */
  #answer({ verb, given }: ReadCall): unknown {
    try {
      return verb.writeAnswer(verb.run(this.#holding.desk, given))
    } catch (error) {
      return reasonOf(error)
    }
  }
}

interface ReadCall {
  readonly verb: Verb<unknown, unknown>
  readonly given: unknown
}

/** Reads a call: a question begins with `anyQuestion` or with a number of at least 0, any other call with the number of its verb. */
function readCall(call: readonly unknown[], sheet: ReadSheet): ReadCall {
  const [number] = call
  if (number === anyQuestion || (typeof number === 'number' && number >= 0))
    return { verb: asking, given: asking.read(call, sheet) }
  const verb = verbOf.get(number)
  if (verb === undefined) throw garbled('call')
  return { verb, given: verb.read(call.slice(1), sheet) }
}
