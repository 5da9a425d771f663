import type { Random } from '../random.ts'
import type { Arrived, Command, RunningServer } from '../server/running.ts'
import type { Ran } from '../server/server.ts'
import type { Machine } from '../world/machine.ts'
import type { Troubles } from './troubles.ts'

/** How long messages take in one direction. */
export interface Way {
  readonly usualUs: number
  readonly jitterUs: number
  /** Whether each message goes its own way, and may pass others, or be lost alone. */
  readonly apart: boolean
}

/** What a process has sent, and what became of it. */
export interface Sent {
  readonly command: Command
  readonly sentUs: number
  /** What the command has done on the server. */
  ran: Ran | undefined
  ranUs: number | undefined
  /** When the reply came, if a caller still waited for it. */
  heardUs: number | undefined
  answer(value: unknown): void
  fail(error: Error): void
}

/** Called when the server has run a command that was sent. */
export type Watch = (sent: Sent) => void

/** One connection. Messages in one direction keep their order, unless each goes its own way. */
export class Stream {
  readonly #machine: Machine
  readonly #server: RunningServer
  readonly #troubles: Troubles
  readonly #way: Way
  readonly #random: Random
  readonly #ran: Watch
  readonly sent: Set<Sent> = new Set()
  /** Whether nothing passes any more, without either end knowing it. */
  isDead = false
  /** Whether replies do not come any more, while requests arrive. */
  #isMute = false
  isClosed = false
  #thereUs = 0
  #backUs = 0

  constructor(parts: {
    machine: Machine
    server: RunningServer
    troubles: Troubles
    way: Way
    random: Random
    ran: Watch
  }) {
    this.#machine = parts.machine
    this.#server = parts.server
    this.#troubles = parts.troubles
    this.#way = parts.way
    this.#random = parts.random
    this.#ran = parts.ran
  }

  wayUs(): number {
    return this.#way.usualUs + this.#random.whole(0, this.#way.jitterUs) + this.#troubles.delayUs
  }

  send(sent: Sent): void {
    this.sent.add(sent)
    const isLost = this.#random.chance(this.#troubles.loseRequests)
    const { time } = this.#machine
    const atUs = time.nowUs + this.wayUs()
    this.#thereUs = this.#way.apart ? atUs : Math.max(this.#thereUs, atUs)
    // With a message that is lost on a connection, all that follow are lost.
    if (isLost) this.isDead ||= !this.#way.apart
    else
      time.at(this.#thereUs, () => {
        if (this.isDead || this.isClosed || this.#server.isDown) return
        this.#server.receive(new Arrival(this, sent))
      })
  }

  /** Whether its process has closed the connection, or has died. */
  get isGone(): boolean {
    return this.isClosed || this.#machine.dead
  }

  /** Called when the server has run a command. */
  replied(sent: Sent, ran: Ran | undefined, { value, atUs }: { value: unknown; atUs: number }): void {
    sent.ran = ran
    sent.ranUs = this.#machine.time.nowUs
    this.#ran(sent)
    this.#comesBack(sent, value, atUs)
  }

  #comesBack(sent: Sent, value: unknown, atUs: number): void {
    if (this.#random.chance(this.#troubles.loseReplies)) {
      this.#isMute ||= !this.#way.apart
      return
    }
    const backUs = atUs + this.wayUs()
    this.#backUs = this.#way.apart ? backUs : Math.max(this.#backUs, backUs)
    const owner = this.#machine
    owner.time.at(this.#backUs, () => this.#isBack(sent, value), { owner })
  }

  #isBack(sent: Sent, value: unknown): void {
    if (this.isDead || this.#isMute || this.isClosed || !this.sent.delete(sent)) return
    sent.heardUs = this.#machine.time.nowUs
    if (value instanceof Error) sent.fail(new Error(value.message))
    else sent.answer(value)
  }

  /** Called when the end of the connection is noticed: calls that wait for a reply fail. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    for (const sent of [...this.sent]) {
      this.sent.delete(sent)
      sent.fail(new Error('Connection is closed.'))
    }
  }
}

class Arrival implements Arrived {
  readonly #stream: Stream
  readonly #sent: Sent

  constructor(stream: Stream, sent: Sent) {
    this.#stream = stream
    this.#sent = sent
  }

  get command(): Command {
    return this.#sent.command
  }

  get isGone(): boolean {
    return this.#stream.isGone
  }

  reply(value: unknown, ran: Ran | undefined, atUs: number): void {
    this.#stream.replied(this.#sent, ran, { value, atUs })
  }
}
