import { lateError } from '../errors.ts'
import { nextTurn } from '../runtime.ts'
import { boundBy, usualMs, type Waiting } from './deadlines.ts'

/**
 * Bounds waits, each by a timer of its own, for runtimes where a timer serves only the request in which it was set. Until the first
 * wait is over, waits may take `firstMs` if that is longer, as connecting takes time.
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

  expiresAt(nowMs: number = performance.now()): number {
    return nowMs + (this.#firstMs ?? this.#ms)
  }

  bound<T>(answer: T | Promise<T>): Promise<T> {
    return boundBy(this, answer)
  }

  add(waiting: Waiting): void {
    const ms = this.#firstMs ?? this.#ms
    const expire = () => {
      if (waiting.done) return
      this.leave(waiting)
      waiting.expired(lateError(this.#store, ms))
    }
    const due = () => {
      const lateMs = performance.now() - waiting.expiresAt
      // This process stood still: the reply is looked for as long again, but no longer than a wait takes.
      if (lateMs > usualMs && waiting.looks++ === 0) waiting.timer = setTimeout(due, Math.min(lateMs, ms))
      // Replies that are there already are read first.
      else nextTurn(() => nextTurn(expire))
    }
    waiting.timer = setTimeout(due, waiting.expiresAt - performance.now())
  }

  leave(waiting: Waiting): void {
    waiting.done = true
    this.#firstMs = undefined
    clearTimeout(waiting.timer)
  }

  /** Has nothing to do, as every timer ends with its wait. */
  stop(): void {}
}
