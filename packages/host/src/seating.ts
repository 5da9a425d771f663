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
  /** Holds the counts, or finds who does. */
  readonly takeSeat: () => Promise<Seat>
}

/** Calls that wait for who holds the counts, or for its answer. */
const mostWaiting = 10_000
/** After an attempt that has failed. */
const retryMs = 250

/** Whether this process holds the counts, or which one does; looks for another when that one dies. */
export class Seating {
  readonly #parts: SeatingParts
  #holder: Holder | undefined
  /** While this process holds them. */
  #counts: Counts | undefined
  #guest: Guest | undefined
  /** Until it is known who holds them. */
  #waiting: Call[] = []
  #attempt: Promise<void> | undefined
  /** The latest attempt has failed. */
  #trouble: Error | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(parts: SeatingParts) {
    this.#parts = parts
  }

  get desk(): Desk | undefined {
    return this.#counts?.desk
  }

  /** Throws where it cannot be asked. */
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

  /** Resolves once it is known who holds the counts; rejects where the attempt has failed. */
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
        // Who has just given its place up, or died.
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

  /** Its place was removed: who holds the counts is decided as at the beginning. */
  #stepDown(): void {
    void this.#holder?.close()
    this.#counts?.drop()
    this.#counts = undefined
    this.#parts.listeners.lost()
    this.#again()
  }

  /** false: the connection has ended before the other end has said who it is. */
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
    // What was counted may be gone.
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
