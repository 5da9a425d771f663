import type { Clock } from '../clock.ts'
import { whenAborted } from './abort.ts'
import { alarm } from './alarm.ts'
import { wakeByClock } from './wake.ts'

/** Callers that sleep until it is their turn: no more than so many, and all of them can be woken by an error. */
export class Sleepers {
  readonly #most: number
  readonly #clock: Clock | undefined
  readonly #sleeping = new Set<(error: unknown) => void>()
  #places = 0
  #closedBy: Error | undefined

  /** `clock`: whose time passes while they sleep, where it is not the real one. */
  constructor(most: number, clock: Clock | undefined) {
    this.#most = most
    this.#clock = clock
  }

  /** Why nobody can sleep here any more. */
  get closedBy(): Error | undefined {
    return this.#closedBy
  }

  get count(): number {
    return this.#places
  }

  /** A place, taken before anybody is asked how long to sleep; false: there is none left. */
  enter(): boolean {
    if (this.#places >= this.#most) return false
    this.#places++
    return true
  }

  leave(): void {
    this.#places--
  }

  /** Never resolves early. Rejects with the signal's reason, or when all are woken. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = this.#set(ms, () => end(resolve))
      const ignore = signal && whenAborted(signal, () => wakeBy(signal.reason))
      const end = (settle: () => void) => {
        stop()
        ignore?.()
        this.#sleeping.delete(wakeBy)
        settle()
      }
      const wakeBy = (error: unknown) => end(() => reject(error))
      this.#sleeping.add(wakeBy)
    })
  }

  /** Whoever sleeps is woken by the error, and so is whoever comes later. */
  close(error: Error): void {
    this.#closedBy ??= error
    for (const wakeBy of [...this.#sleeping]) wakeBy(error)
  }

  #set(ms: number, wake: () => void): () => void {
    const clock = this.#clock
    if (clock?.sleep === undefined) return alarm.set(performance.now() + ms, wake)
    return wakeByClock(clock, ms, wake)
  }
}
