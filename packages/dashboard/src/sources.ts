import type { Board } from './board.ts'
import type { Span } from './history.ts'
import type { Row } from './row.ts'
import type { Events, History, Keys, StoreState } from './wire.ts'

/** The span that a page shows, and whether its viewer sees keys masked. */
export interface View extends Span {
  /** @default true */
  readonly masked?: boolean
}

/** Where client groups get what they send. */
export interface Sources {
  readonly board: Board
  readonly keys: { atLimit(): number }
  /** Picks up changes in the limiters. Called before each second. */
  refresh(): void
  /** Whether everything for a span was read. */
  covers(spanSeconds: number): boolean
  order(rows: Iterable<Row>): readonly Row[]
  outages(fromSecond: number): History['outages']
  keysIn(view: View): Keys
  store(): StoreState
  events(masked?: boolean): Events
  /** The recorder's clock. */
  nowMs(): number
  monotonicMs(): number
}
