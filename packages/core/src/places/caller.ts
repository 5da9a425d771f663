import type { LinePlace, StoreRows } from '../store.ts'
import { usualMs } from '../waiting/deadlines.ts'
import { Sleep, type Sleepers } from '../waiting/sleepers.ts'
import type { Ends, Wait } from '../waiting/wait.ts'
import type { CallerInLine, Waiter } from './line-here.ts'

export interface WaitingCaller {
  readonly arrival: CallerInLine
  /** The answer to the caller's own check; undefined: it has made none. */
  readonly rows: StoreRows | undefined
  readonly wait: Wait
}

/** Waits, in a place among the sleepers that is taken already. Resolves with the row of the place in flight, or of the last refusal. */
export function waitForPlace(waiting: WaitingCaller, sleepers: Sleepers): Promise<StoreRows> {
  return new Promise((resolve, reject) => {
    const caller = new PlaceCaller(waiting, sleepers, { resolve, reject })
    sleepers.put(caller, waiting.wait.maxWaitUs / 1000)
  })
}

/** Sleeps until its time is over, unless its turn comes before. */
class PlaceCaller extends Sleep<StoreRows> implements Waiter {
  readonly #arrival: CallerInLine
  /** How much longer it may wait because this process stood still; 0 once it has. */
  #graceMs: number

  constructor({ arrival, rows, wait }: WaitingCaller, sleepers: Sleepers, ends: Ends<StoreRows>) {
    super(sleepers, wait.signal, ends)
    this.#arrival = arrival
    this.#graceMs = wait.maxWaitUs / 1000
    const [row] = rows ?? []
    arrival.wait(this, row && { row, waits: true, source: rows?.source })
  }

  answered(place: LinePlace): void {
    if (!this.end()) return
    this.sleepers.leave()
    this.resolve(rowsOf(place))
  }

  woken(): void {
    const lateMs = Math.min(this.sleepers.alarm.nowMs() - this.atMs, this.#graceMs)
    // While it stood still, this process could neither ask nor hear an answer. A sleep on a clock's own timer has no `atMs`.
    if (this.atMs > 0 && lateMs > usualMs) {
      this.#graceMs = 0
      this.sleepers.put(this, lateMs)
      return
    }
    this.#giveUp()
    this.resolve(rowsOf(this.#arrival.place))
  }

  failed(error: unknown): void {
    this.#giveUp()
    this.reject(error)
  }

  #giveUp(): void {
    this.sleepers.leave()
    this.#arrival.leave()
  }
}

function rowsOf({ row, source }: LinePlace): StoreRows {
  return source === undefined ? [row] : Object.assign([row], { source })
}
