import { lateError } from '../errors.ts'
import { nextTurn } from '../runtime.ts'
import { boundBy, usualMs, type Waiting } from './deadlines.ts'

/**
 * Bounds waits, each by a timer of its own, where a timer serves only the request in which it was set. Until the first of them is over
 * they may take longer, as connecting does.
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

  /** The deadline of what begins to wait now. */
  expiresAt(nowMs: number = performance.now()): number {
    return nowMs + (this.#firstMs ?? this.#ms)
  }

  /** The promise's own outcome, or a StoreError at the deadline; `late` gets what it answers after that. */
  bound<T>(promise: Promise<T>, late?: (value: T) => void): Promise<T> {
    return boundBy(this, promise, late)
  }

  /** It waits from now on, and expires unless it leaves. */
  add(waiting: Waiting): void {
    const ms = this.#firstMs ?? this.#ms
    const expire = () => {
      if (waiting.done) return
      this.leave(waiting)
      waiting.expired(lateError(this.#store, ms))
    }
    const due = () => {
      const lateMs = performance.now() - waiting.expiresAt
      // This process stood still: a reply is looked for as long again.
      if (lateMs > usualMs && waiting.looks++ === 0) waiting.timer = setTimeout(due, Math.min(lateMs, ms))
      // Replies that are there already are read first.
      else nextTurn(() => nextTurn(expire))
    }
    waiting.timer = setTimeout(due, waiting.expiresAt - performance.now())
  }

  /** It has what it waited for. */
  leave(waiting: Waiting): void {
    waiting.done = true
    this.#firstMs = undefined
    clearTimeout(waiting.timer)
  }

  /** Every timer ends with its wait. */
  stop(): void {}
}
