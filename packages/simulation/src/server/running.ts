import type { Code } from '../inside/load.ts'
import { startUs } from '../world/machine.ts'
import type { VirtualTime } from '../world/time.ts'
import type { Words } from './calls.ts'
import { Parked } from './parked.ts'
import type { KnownPolicies } from './policies.ts'
import type { Kind, KnownScript } from './scripts.ts'
import { type Ran, Server } from './server.ts'
import type { Slots } from './slots.ts'

/** A call of a script, or of TIME. */
export type Command =
  | { readonly name: 'script'; readonly script: KnownScript; readonly words: Words; readonly text: boolean }
  | { readonly name: 'time'; readonly node: string | undefined }

/** A command that has arrived, and where its reply goes. */
export interface Arrived {
  readonly command: Command
  /** Whether its sender has closed the connection. */
  readonly isGone: boolean
  /** `ran`: what a script has done, if one was run. */
  reply(value: unknown, ran: Ran | undefined, atUs: number): void
}

/** Scripts after which there may be something to read. */
const brings: readonly Kind[] = ['queue: offer', 'list: offer', 'list: return']

/** How long a call takes the server, and how much more time each of its keys takes. */
const callUs = 25
const keyUs = 3

/** A server in virtual time: its clock, whether it answers, and what of its data it may lose. */
export class RunningServer {
  readonly server: Server
  readonly #time: VirtualTime
  /** The slots, if the server is a cluster. */
  readonly slots: Slots | undefined
  /** By how much its clock was set. */
  stepUs = 0
  /** Whether it answers everything with BUSY, as a script that does not end keeps it busy. */
  isBusy = false
  /** Until when the server hangs: commands that arrive meanwhile are run afterwards. */
  #hungUntilUs = 0
  /** Until when the server is down, and no client can connect. */
  downUntilUs = 0
  #busyUntilUs = 0
  readonly #waiting: Arrived[] = []
  readonly #parked: Parked<Arrived>
  /** All commands that wrote, as a replica gets them; undefined: there is no replica. */
  #written: { atUs: number; command: Command & { name: 'script' }; nowUs: number }[] | undefined

  constructor(
    time: VirtualTime,
    { code, policies, slots }: { code: Code; policies: KnownPolicies; slots: Slots | undefined },
  ) {
    this.#time = time
    this.slots = slots
    this.server = new Server(code, policies)
    this.#parked = new Parked(time)
  }

  /** Adds a replica, which gets all that is written from now on. */
  replicate(): void {
    this.#written ??= []
  }

  get clockUs(): number {
    return startUs + this.#time.nowUs + this.stepUs
  }

  get isDown(): boolean {
    return this.downUntilUs > this.#time.nowUs
  }

  get isHung(): boolean {
    return this.#hungUntilUs > this.#time.nowUs
  }

  hang(us: number): void {
    this.#hungUntilUs = Math.max(this.#hungUntilUs, this.#time.nowUs + us)
    this.#time.at(this.#hungUntilUs, () => this.#work())
  }

  /** Stops the server. Commands that it has received and not run are lost. */
  stop(us: number): void {
    this.#waiting.length = 0
    this.#parked.forget()
    this.#hungUntilUs = 0
    this.server.known.clear()
    this.downUntilUs = Math.max(this.downUntilUs, this.#time.nowUs + us)
  }

  loseData(): void {
    this.server.loseData()
    this.#written = this.#written && []
  }

  /** Lets a replica take over, which lacks what was written in the last `lagUs`. */
  failOver(lagUs: number): void {
    const before = this.#time.nowUs - lagUs
    const kept = (this.#written ?? []).filter(({ atUs }) => atUs <= before)
    this.server.loseData()
    const { noWrites } = this.server
    this.server.noWrites = undefined
    for (const { command, nowUs } of kept) this.server.replay(command.script.kind, command.words, nowUs)
    this.server.noWrites = noWrites
    this.server.known.clear()
    this.#written = kept
  }

  receive(arrived: Arrived): void {
    this.#waiting.push(arrived)
    this.#work()
  }

  #work(): void {
    if (this.isHung || this.isDown) return
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#run(next)
  }

  #run(arrived: Arrived): void {
    const { command } = arrived
    const time = this.#time.nowUs
    this.#busyUntilUs = Math.max(this.#busyUntilUs, time) + callUs
    if (this.isBusy) {
      arrived.reply(new Error('BUSY Redis is busy running a script.'), undefined, this.#busyUntilUs)
      return
    }
    if (command.name === 'time') {
      const us = this.clockUs + (this.slots?.clockOfNode(command.node ?? 'first') ?? 0)
      arrived.reply([String(Math.floor(us / 1e6)), String(us % 1e6)], undefined, this.#busyUntilUs)
      return
    }
    this.#busyUntilUs += keyUs * command.words.keys.length
    try {
      const nowUs = this.clockUs + (this.slots?.clockOf(command.words.keys) ?? 0)
      const ran = this.server.run(command.script, { words: command.words, text: command.text, nowUs })
      // A blocking read waits for the first entry.
      if (ran.reply === null) {
        this.#parked.park(arrived, Number(command.words.args.at(-1)))
        return
      }
      this.#written?.push({ atUs: time, command, nowUs })
      arrived.reply(ran.reply, ran, this.#busyUntilUs)
      if (brings.includes(command.script.kind)) for (const each of this.#parked.take()) this.#run(each)
    } catch (error) {
      arrived.reply(error, undefined, this.#busyUntilUs)
    }
  }
}
