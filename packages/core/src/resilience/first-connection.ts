import { storeError } from '../errors.ts'
import { unref } from '../runtime.ts'
import type { Asker, Question, Store, StoreRows } from '../store.ts'

/** A store that can be got ready before it is asked. */
export interface ConnectingStore extends Store {
  /** Whether a check may wait for others of the same key while the store is well. @default false */
  readonly keysWait?: boolean
  /** Rows that need no asking; called before every question. @default undefined: none are known */
  known?(question: Question): StoreRows | undefined
  /** `waiting`: the caller that waits for the answer; done when it no longer does. */
  answer(question: Question, waiting?: Pick<Asker, 'done' | 'expiresAt'>): StoreRows | Promise<StoreRows>
  /** Connects, and loads what the first question needs. @default `ready` */
  begin?(): Promise<void>
  /** Resolves if the store can decide again. @default `ready` */
  probe?(): Promise<void>
  /** false: its client is connected by somebody else, or when it is first asked. @default true */
  willBegin?(asked: boolean): boolean
}

const lookEveryMs = 25
/** At most this much is counted per look: anything longer is this process's own delay. */
const mostCountedMs = 2 * lookEveryMs

/**
 * The time before a store's first answer: a store that has never answered is not yet a store that has failed, so questions wait for
 * it, once. Only time in which this process ran is counted, as loading a client can stop it for longer than connecting takes.
 */
export class FirstConnection {
  readonly #store: ConnectingStore
  readonly #longestMs: number
  readonly #ended: (failed?: number) => void
  #over: Promise<boolean> | undefined
  #end: ((answered: boolean) => void) | undefined
  #isOver = false
  #timer: NodeJS.Timeout | undefined

  /** Why the store has not answered. */
  error: unknown

  /** `ended`: called at the end of that time; `failed`: when the store was asked, if it has not answered by then. */
  constructor(store: ConnectingStore, longestMs: number, ended: (failed?: number) => void) {
    this.#store = store
    this.#longestMs = longestMs
    this.#ended = ended
    this.waits(false)
  }

  /** Whether questions have to wait for `over`. `asked`: whether there is a question already. */
  waits(asked: boolean): boolean {
    if (this.#over === undefined && this.#store.willBegin?.(asked) !== false) this.#begin()
    if (asked) this.#timer?.ref()
    return this.#over !== undefined
  }

  /** Resolves at the end of that time. true: the store has answered. */
  async over(): Promise<boolean> {
    return this.#over ?? true
  }

  /** Calls back at the end of that time. */
  afterwards(then: () => void): void {
    if (this.waits(true)) void this.over().then(then)
  }

  stop(): void {
    this.error ??= storeError(this.#store.name, 'the store was closed')
    this.#finish(false)
  }

  #begin(): void {
    const beganAt = performance.now()
    this.#over = new Promise((resolve) => {
      this.#end = resolve
    })
    const fail = (error: unknown) => {
      if (this.#isOver) return
      this.error = error
      this.#finish(false, beganAt)
    }
    this.#attempt().then(() => this.#finish(true), fail)
    let countedMs = 0
    let lookedAt = beganAt
    this.#timer = unref(
      setInterval(() => {
        const now = performance.now()
        countedMs += Math.min(now - lookedAt, mostCountedMs)
        lookedAt = now
        if (countedMs < this.#longestMs) return
        fail(storeError(this.#store.name, 'no first answer within the connect deadline'))
      }, lookEveryMs),
    )
  }

  async #attempt(): Promise<void> {
    await (this.#store.begin === undefined ? this.#store.ready?.() : this.#store.begin())
  }

  #finish(answered: boolean, failed?: number): void {
    this.#isOver = true
    clearInterval(this.#timer)
    this.#end?.(answered)
    this.#ended(failed)
  }
}
