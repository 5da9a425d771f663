import type { Socket } from 'node:net'
import type { Fault } from './fault.ts'

/** One connection through a faulty server: a client's socket, and another one to the real server. */
export class Link {
  readonly #client: Socket
  readonly #real: Socket
  readonly #fault: () => Fault
  /** `#deaf`: requests do not arrive any more; `#mute`: answers do not. */
  #deaf = false
  #mute = false
  readonly #late: (() => void)[] = []
  #held: Buffer[] = []
  #dueAt = 0

  constructor({ client, real }: { client: Socket; real: Socket }, fault: () => Fault) {
    this.#client = client
    this.#real = real
    this.#fault = fault
    for (const socket of [client, real]) socket.on('error', () => {})
    client.on('data', (bytes) => this.#ask(bytes))
    real.on('data', (bytes) => this.#answer(bytes))
    client.on('end', () => real.end())
    real.on('end', () => this.#ended())
    client.on('close', () => real.destroy())
    real.on('close', () => this.#ended())
  }

  whenClosed(closed: () => void): void {
    this.#client.on('close', closed)
  }

  /** As if a cable were cut: nothing gets through any more, and neither end notices. */
  silence(): void {
    this.#deaf = true
    this.#mute = true
  }

  /** Ends the server's side: no more answers come, but the client may still send. */
  halfClose(): void {
    this.#mute = true
    this.#client.end()
  }

  /** Resets the connection, possibly in the middle of an answer. */
  cut(): void {
    this.#client.resetAndDestroy()
  }

  /** Sends the answers that were held, as the present fault says. */
  answerHeld(): void {
    const held = this.#held
    this.#held = []
    for (const bytes of held) this.#answer(bytes)
  }

  #ask(bytes: Buffer): void {
    if (this.#fault().fault === 'blackhole') this.silence()
    if (!this.#deaf) this.#real.write(bytes)
  }

  #answer(bytes: Buffer): void {
    if (this.#mute) return
    const fault = this.#fault()
    switch (fault.fault) {
      case 'none':
        this.#pass(bytes)
        break
      case 'silence':
        this.#mute = true
        break
      case 'blackhole':
        this.silence()
        break
      case 'hang up':
        this.#mute = true
        this.#client.end(bytes.subarray(0, Math.ceil(bytes.length / 2)))
        break
      case 'delay':
        this.#pass(bytes, fault.ms)
        break
      case 'hold answers':
        this.#held.push(bytes)
    }
  }

  #pass(bytes: Buffer, delayMs = 0): void {
    this.#inTurn(() => this.#client.write(bytes), delayMs)
  }

  /** The real server has closed: the client sees it after the last answer, unless nothing gets through. */
  #ended(): void {
    if (this.#fault().fault === 'blackhole') this.silence()
    this.#inTurn(() => this.#client.end(), 0)
  }

  /** Acts after a delay, but never before what came earlier, even when the delay shrinks. */
  #inTurn(act: () => void, delayMs: number): void {
    const now = performance.now()
    this.#dueAt = Math.max(this.#dueAt, now + delayMs)
    this.#late.push(act)
    const next = () => {
      const first = this.#late.shift()
      if (!this.#mute) first?.()
    }
    if (this.#late.length === 1 && this.#dueAt <= now) next()
    else setTimeout(next, this.#dueAt - now)
  }
}
