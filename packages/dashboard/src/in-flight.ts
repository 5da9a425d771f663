import type { Board } from './board.ts'
import { type Known, subjectOf } from './limited.ts'
import type { Row } from './row.ts'
import type { Watcher } from './watcher.ts'

const mostAsked = 10

/** Only decisions report what is in flight, and requests may last: a row of one key is inspected each second. */
export class InFlightKeys {
  readonly #parts: {
    readonly board: Board
    readonly known: Known
    readonly watcher: Watcher
    nowMs(): number
  }
  #asking = false

  constructor(parts: { board: Board; known: Known; watcher: Watcher; nowMs(): number }) {
    this.#parts = parts
  }

  /** One inspection at a time. Never rejects. */
  async look(): Promise<void> {
    if (this.#asking) return
    this.#asking = true
    const rows = [...this.#parts.board.rows].filter(({ shade }) => shade === 'inside').slice(0, mostAsked)
    await Promise.allSettled(rows.map((row) => this.#lookAt(row)))
    this.#asking = false
  }

  async #lookAt(row: Row): Promise<void> {
    const { known, watcher, nowMs } = this.#parts
    const key = watcher.onlyKeyOf(row)
    const limiter = known.find(row.limiter)
    if (key === undefined || limiter === undefined) return
    const seen = (await limiter.inspect(subjectOf(limiter, row.policy, key) as never))[row.policy]
    if (seen === undefined) return
    row.sawInside(Math.floor(nowMs() / 1000), Math.max(0, seen.limit - seen.remaining))
    watcher.inspected(row, seen)
  }
}
