import type { Socket } from 'node:net'
import { storeError } from '@sluice/core/internal'
import type { Call } from './call.ts'
import { asGarbled, garbled, reasonOf } from './errors.ts'
import { Frames, frameOf } from './frames.ts'
import { checkHello, helloFrame } from './hello.ts'
import { listOf, Sheet } from './wire/sheet.ts'

/** The most calls in one frame. */
const mostTogether = 128

/** Calls of a connection that has ended. */
export interface Unanswered {
  /** Calls that the other end may have run. */
  readonly sent: readonly Call[]
  readonly waiting: readonly Call[]
}

/** `error`: why this end has closed the connection; undefined: the other end is gone. */
type Left = (calls: Unanswered, error: Error | undefined) => void

/**
 * A connection to the process that holds the counts. Calls of one turn go in one frame; while a frame is under way, further calls
 * gather, and go together when it is answered.
 */
export class Guest {
  /** Resolves to true once the other end has said hello, to false if the connection ended before. Rejects if they cannot count together. */
  readonly joined: Promise<boolean>
  readonly #socket: Socket
  readonly #left: Left
  readonly #frames = new Frames()
  #waiting: Call[] = []
  #underWay: Call[] = []
  /** The number of the frame that is under way. */
  #number = 0
  #hasJoined = false
  #join: (joined: boolean) => void = () => {}
  #refuse: (error: Error) => void = () => {}
  #scheduled = false
  #error: Error | undefined

  constructor(socket: Socket, left: Left) {
    this.#socket = socket
    this.#left = left
    this.joined = new Promise((resolve, reject) => {
      this.#join = resolve
      this.#refuse = reject
    })
    socket.on('data', this.#read)
    socket.on('error', () => {})
    socket.once('close', this.#gone)
  }

  get hasJoined(): boolean {
    return this.#hasJoined
  }

  /** How many calls have no answer yet. */
  get size(): number {
    return this.#waiting.length + this.#underWay.length
  }

  put(call: Call): void {
    this.#waiting.push(call)
    if (this.#scheduled || !this.#hasJoined || this.#underWay.length > 0) return
    this.#scheduled = true
    process.nextTick(this.#send)
  }

  close(): void {
    this.#socket.destroy()
  }

  readonly #send = (): void => {
    this.#scheduled = false
    while (this.#underWay.length === 0 && this.#waiting.length > 0) this.#sendNext(mostTogether)
  }

  #sendNext(most: number): void {
    const asked: Call[] = []
    const written: unknown[] = []
    const sheet = new Sheet()
    for (const call of this.#waiting.splice(0, most)) {
      if (call.done) continue
      try {
        written.push(call.write(sheet))
        asked.push(call)
      } catch (error) {
        call.failed(storeError('host', `it cannot be asked: ${reasonOf(error)}`, error))
      }
    }
    if (asked.length === 0) return
    const frame = frameOf([++this.#number, sheet.heads, written])
    if (frame !== undefined) {
      this.#underWay = asked
      this.#socket.write(frame)
    } else if (asked.length === 1) {
      asked[0]?.failed(storeError('host', 'what was asked is too long for the process that holds the counts'))
    } else {
      this.#waiting.unshift(...asked)
      this.#sendNext(asked.length >> 1)
    }
  }

  readonly #read = (piece: Buffer): void => {
    try {
      for (const frame of this.#frames.of(piece)) this.#heard(frame)
    } catch (error) {
      this.#error = asGarbled(error)
      this.#socket.destroy()
    }
  }

  #heard(frame: unknown): void {
    if (!this.#hasJoined) {
      checkHello(frame)
      this.#hasJoined = true
      this.#socket.write(helloFrame())
      this.#join(true)
      this.#send()
      return
    }
    const [number, answers] = listOf(frame, 'answer')
    const calls = this.#underWay
    const list = listOf(answers, 'answer')
    if (number !== this.#number || list.length !== calls.length) throw garbled('answer')
    for (let i = 0; i < calls.length; i++) answer(calls[i], list[i])
    this.#underWay = []
    this.#send()
  }

  readonly #gone = (): void => {
    this.#left({ sent: this.#underWay.splice(0), waiting: this.#waiting.splice(0) }, this.#error)
    if (this.#error === undefined) this.#join(false)
    else this.#refuse(this.#error)
  }
}

/** Passes an answer to its call. A text says why there is none. */
function answer(call: Call | undefined, written: unknown): void {
  if (typeof written === 'string') call?.failed(storeError('host', written))
  else call?.answered(written)
}
