import type { Board } from './board.ts'
import { type Known, subjectOf } from './limited.ts'
import type { Row } from './row.ts'
import type { Watcher } from './watcher.ts'

const maxInspected = 10

/** Only decisions report requests in flight, which may be rare: a row with a single key is inspected each second. */
export class InFlightKeys {
  readonly #deps: {
    readonly board: Board
    readonly known: Known
    readonly watcher: Watcher
    nowMs(): number
  }
  #asking = false

  constructor(deps: { board: Board; known: Known; watcher: Watcher; nowMs(): number }) {
    this.#deps = deps
  }

  /** One inspection at a time. Never rejects. */
  async look(): Promise<void> {
    if (this.#asking) return
    this.#asking = true
    const rows = [...this.#deps.board.rows]
      .filter(({ shade }) => shade === 'in-flight')
      .slice(0, maxInspected)
    await Promise.allSettled(rows.map((row) => this.#lookAt(row)))
    this.#asking = false
  }

  async #lookAt(row: Row): Promise<void> {
    const { known, watcher, nowMs } = this.#deps
    const key = watcher.onlyKeyOf(row)
    const limiter = known.find(row.limiter)
    if (key === undefined || limiter === undefined) return
    const seen = (await limiter.inspect(subjectOf(limiter, row.policy, key) as never))[row.policy]
    if (seen === undefined) return
    row.sawInFlight(Math.floor(nowMs() / 1000), Math.max(0, seen.limit - seen.remaining))
    watcher.inspected(row, seen)
  }
}
