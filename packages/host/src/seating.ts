import { setTimeout as pause } from 'node:timers/promises'
import { storeError } from '@sluice/core/internal'
import type { Call } from './call.ts'
import { Counts, type CountsParts } from './counts.ts'
import type { Desk } from './desk.ts'
import { reasonOf, sluiceCodeOf } from './errors.ts'
import { Guest, type Unanswered } from './guest.ts'
import { Holder } from './holder.ts'
import type { Seat } from './seats.ts'

export interface SeatingParts extends CountsParts {
  /** Makes this process hold the counts, or finds the process that does. */
  readonly takeSeat: () => Promise<Seat>
}

/** The most calls that wait to learn which process holds the counts, or for its answer. */
const mostWaiting = 10_000
/** The pause after an attempt that has failed. */
const retryMs = 250

/** Knows which process holds the counts, this one or another, and looks again when that one dies. */
export class Seating {
  readonly #parts: SeatingParts
  #holder: Holder | undefined
  /** The counts, while this process holds them. */
  #counts: Counts | undefined
  #guest: Guest | undefined
  /** Calls that wait until it is known which process holds the counts. */
  #waiting: Call[] = []
  #attempt: Promise<void> | undefined
  /** The error of the latest attempt, if it has failed. */
  #trouble: Error | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(parts: SeatingParts) {
    this.#parts = parts
  }

  get desk(): Desk | undefined {
    return this.#counts?.desk
  }

  /** Sends a call, now or once it is known where to. Throws if that is impossible. */
  put(call: Call): void {
    if (this.#closed) throw storeError('host', 'the store was closed')
    if (this.#trouble !== undefined) throw this.#trouble
    const guest = this.#guest
    if (this.#waiting.length + (guest?.size ?? 0) >= mostWaiting)
      throw storeError('host', 'too many calls wait for the process that holds the counts')
    if (guest !== undefined) {
      guest.put(call)
      return
    }
    this.#waiting.push(call)
    this.#look()
  }

  /** Resolves once it is known which process holds the counts; rejects if the attempt has failed. */
  begin(): Promise<void> {
    this.#attempt ??= this.#begin()
    return this.#attempt
  }

  #look(): void {
    this.begin().catch(() => {})
  }

  async #begin(): Promise<void> {
    try {
      while (!this.#closed) {
        const seat = await this.#parts.takeSeat()
        if (this.#closed) return leave(seat)
        if ('server' in seat) return this.#hold(seat)
        if (await this.#join(seat.socket)) return
        // The process at the other end has just given up its place, or died.
        await pause(2 + Math.random() * 10)
      }
    } catch (error) {
      throw this.#failed(error)
    }
  }

  #hold(seat: Extract<Seat, { server: unknown }>): void {
    const { forms } = this.#parts
    const counts = new Counts(this.#parts)
    const garbled = (error: Error) => this.#warn(error)
    this.#holder = new Holder(seat, { desk: counts.desk, forms, garbled }, () => this.#stepDown())
    this.#counts = counts
    this.#trouble = undefined
    for (const call of this.#waiting.splice(0)) runAt(counts.desk, call)
  }

  /** Gives up the counts, as the place was removed. Which process holds them is decided as at the beginning. */
  #stepDown(): void {
    void this.#holder?.close()
    this.#counts?.drop()
    this.#counts = undefined
    this.#parts.listeners.lost()
    this.#again()
  }

  /** Resolves to false if the connection ended before the other end said hello. */
  #join(socket: Extract<Seat, { socket: unknown }>['socket']): Promise<boolean> {
    const guest = new Guest(socket, (calls, error) => this.#left(guest, calls, error))
    this.#guest = guest
    for (const call of this.#waiting.splice(0)) guest.put(call)
    return guest.joined.then((joined) => {
      if (joined) this.#trouble = undefined
      return joined
    })
  }

  #left(guest: Guest, { sent, waiting }: Unanswered, error: Error | undefined): void {
    this.#guest = undefined
    const why = storeError('host', 'the process that holds the counts has gone', error)
    for (const call of sent) {
      if (!this.#closed && call.again()) this.#waiting.push(call)
      else call.failed(why)
    }
    for (const call of waiting) {
      if (this.#closed) call.failed(why)
      else this.#waiting.push(call)
    }
    if (this.#closed || !guest.hasJoined) return
    // The counts may be gone.
    this.#parts.listeners.lost()
    if (error === undefined) this.#again()
    else this.#failed(error)
  }

  #again(): void {
    this.#attempt = undefined
    this.#look()
  }

  #failed(cause: unknown): Error {
    const trouble = storeError('host', reasonOf(cause), cause)
    this.#trouble = trouble
    for (const call of this.#waiting.splice(0)) call.failed(trouble)
    this.#warn(cause)
    if (!this.#closed) this.#timer = setTimeout(this.#retry, retryMs).unref()
    return trouble
  }

  #warn(error: unknown): void {
    const code = sluiceCodeOf(error)
    if (code !== undefined) this.#parts.listeners.warned({ code, message: reasonOf(error) })
  }

  readonly #retry = (): void => {
    this.#attempt = undefined
    this.#look()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#guest?.close()
    await this.#attempt?.catch(() => {})
    for (const call of this.#waiting.splice(0)) call.failed(storeError('host', 'the store was closed'))
    await this.#counts?.close()
    this.#counts = undefined
    await this.#holder?.close()
  }
}

async function leave(seat: Seat): Promise<void> {
  if ('socket' in seat) {
    seat.socket.destroy()
    return
  }
  seat.at.leave()
  await new Promise((resolve) => seat.server.close(resolve))
}

function runAt(desk: Desk, call: Call): void {
  if (call.done) return
  try {
    call.runAt(desk)
  } catch (error) {
    call.failed(error instanceof Error ? error : new Error(reasonOf(error)))
  }
}
