import type { LaneCheck } from '../decision/lane.ts'
import type { LinePlace, StoreRows } from '../store.ts'
import { Sleep, type Sleepers } from '../waiting/sleepers.ts'
import type { Wait } from './delays.ts'
import type { Lines, Turn, Waiter } from './lines.ts'

/** A caller that was refused, and that may wait. */
export interface RefusedCaller {
  readonly check: LaneCheck
  readonly rows: StoreRows
  readonly wait: Wait
}

/** Where a caller waits. */
interface Places {
  readonly sleepers: Sleepers
  readonly lines: Lines
}

/** Its place in the line is taken already. Answers the rows of the place that it has got, or of its last refusal. */
export function waitForPlace(refused: RefusedCaller, places: Places): Promise<StoreRows> {
  return new Promise((resolve, reject) => {
    const caller = new PlaceCaller(refused, places, { resolve, reject })
    places.sleepers.put(caller, refused.wait.maxWaitUs / 1000)
  })
}

/** Sleeps until its time is over, unless its turn comes before. */
class PlaceCaller extends Sleep implements Waiter {
  readonly check: LaneCheck
  readonly priority: number
  readonly #sleepers: Sleepers
  readonly #turn: Turn
  readonly #refusal: StoreRows
  readonly #resolve: (rows: StoreRows) => void
  readonly #reject: (error: unknown) => void

  constructor(
    { check, rows, wait }: RefusedCaller,
    { sleepers, lines }: Places,
    about: { resolve: (rows: StoreRows) => void; reject: (error: unknown) => void },
  ) {
    super(sleepers, wait.signal)
    this.check = check
    this.priority = wait.priority ?? 0
    this.#sleepers = sleepers
    this.#refusal = rows
    this.#resolve = about.resolve
    this.#reject = about.reject
    this.#turn = lines.join(this)
  }

  answered(place: LinePlace): void {
    if (!this.end()) return
    this.#sleepers.leave()
    this.#resolve(rowsOf(place))
  }

  woken(): void {
    this.#giveUp()
    const { place } = this.#turn
    this.#resolve(place === undefined ? this.#refusal : rowsOf(place))
  }

  failed(error: unknown): void {
    this.#giveUp()
    this.#reject(error)
  }

  #giveUp(): void {
    this.#sleepers.leave()
    this.#turn.leave()
  }
}

function rowsOf({ row, source }: LinePlace): StoreRows {
  return source === undefined ? [row] : Object.assign([row], { source })
}
