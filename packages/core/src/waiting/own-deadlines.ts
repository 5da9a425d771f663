import { lateError } from '../errors.ts'
import { nextTurn } from '../runtime.ts'
import { type Hearing, justHearing, settle, usualMs, Waiting } from './deadlines.ts'

/**
 * Bounds promises, each by a timer of its own, where a timer serves only the request in which it was set. Until the first of them has
 * had an outcome they may take longer, as connecting does.
 */
export class OwnDeadlines {
  readonly #store: string
  readonly #ms: number
  #firstMs: number | undefined

  constructor(store: string, { ms, firstMs }: { ms: number; firstMs: number }) {
    this.#store = store
    this.#ms = ms
    this.#firstMs = Math.max(ms, firstMs)
  }

  /** Begins a wait before the store is asked, so that the store can see whether its caller still waits; `bound` ends it. */
  start(): Waiting {
    return new Waiting(performance.now() + (this.#firstMs ?? this.#ms))
  }

  /** The promise's own outcome, or a StoreError at the deadline; `late` gets what it answers after that. */
  bound<T>(promise: Promise<T>, late?: (value: T) => void, waiting: Waiting = this.start()): Promise<T> {
    return this.hear(promise, justHearing(late), waiting)
  }

  /** What is made of the promise's outcome, or of a StoreError at the deadline. */
  hear<T, Answer>(promise: Promise<T>, hearing: Hearing<T, Answer>, waiting: Waiting): Promise<Answer> {
    const ms = this.#firstMs ?? this.#ms
    return new Promise((resolve, reject) => {
      const ends = { resolve, reject }
      const end = (): boolean => {
        if (waiting.done) return false
        waiting.done = true
        this.#firstMs = undefined
        clearTimeout(timer)
        return true
      }
      const expire = () => {
        if (end()) settle(ends, hearing.failed, lateError(this.#store, ms))
      }
      const due = () => {
        const lateMs = performance.now() - waiting.expiresAt
        // This process stood still: a reply is looked for as long again.
        if (lateMs > usualMs && waiting.looks++ === 0) timer = setTimeout(due, Math.min(lateMs, ms))
        // Replies that are there already are read first.
        else nextTurn(() => nextTurn(expire))
      }
      let timer = setTimeout(due, waiting.expiresAt - performance.now())
      promise.then(
        (value) => {
          if (end()) settle(ends, hearing.heard, value)
          else hearing.late?.(value)
        },
        (error: unknown) => {
          if (end()) settle(ends, hearing.failed, error)
        },
      )
    })
  }

  /** Every timer ends with its promise. */
  stop(): void {}
}
