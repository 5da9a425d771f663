import type { Board } from './board.ts'
import type { Span } from './history.ts'
import type { Row } from './row.ts'
import type { Events, History, Keys, StoreState } from './wire.ts'

/** Where client groups get what they send. */
export interface Sources {
  readonly board: Board
  readonly keys: { atLimit(): number }
  /** Before each second: picks up changes in the limiters. */
  refresh(): void
  /** true when everything for a span was read. */
  covers(spanSeconds: number): boolean
  order(rows: Iterable<Row>): readonly Row[]
  outages(fromSecond: number): History['outages']
  keysIn(span: Span): Keys
  store(): StoreState
  events(): Events
  /** The recorder's clock. */
  nowMs(): number
  monotonicMs(): number
}
