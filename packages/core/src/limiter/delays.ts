import type { Decision } from '../decision.ts'
import type { Rows } from '../store.ts'
import { type Jitter, lengthened } from '../waiting/jitter.ts'
import { Sleep, type Sleepers } from '../waiting/sleepers.ts'
import type { NamedCheck } from './decided.ts'
import { spacingMs, waitUsOf } from './reserving.ts'

/** true for the error that callers get who wait at a limiter that is closed. */
export function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SLUICE_CLOSED'
}

/** How a caller waits. */
export interface Wait {
  readonly maxWaitUs: number
  readonly signal: AbortSignal | undefined
  readonly jitter: Jitter | undefined
  /** Called before the caller sleeps. */
  readonly reserved?: (waitMs: number) => void
}

/** What a store has answered to a reservation: the decision is made when the caller wakes. */
export interface ReservedRows {
  readonly checks: readonly NamedCheck[]
  readonly rows: Rows
  decision: Decision | undefined
}

/** The limiter behind. */
interface Reserver {
  reserve(maxWaitUs: number): Decision | ReservedRows | Promise<Decision | ReservedRows>
}

interface Maker {
  decisionFrom(reserved: ReservedRows): Decision
  /** A caller was refused that might have waited, had there been a place. */
  tooManyWaiting(): void
}

/** Delays callers until what they have reserved is due. */
export class Delays {
  readonly #sleepers: Sleepers
  readonly #maker: Maker

  constructor(sleepers: Sleepers, maker: Maker) {
    this.#sleepers = sleepers
    this.#maker = maker
  }

  /** The decision when its time has come, at once where there is nothing to wait for; a refusal at once. */
  delay(reserver: Reserver, wait: Wait): Decision | Promise<Decision> {
    this.#mustGoOn(wait)
    if (!this.#sleepers.enter()) return this.#atOnce(reserver, wait)
    let answer: ReturnType<Reserver['reserve']>
    try {
      answer = reserver.reserve(wait.maxWaitUs)
    } catch (error) {
      this.#sleepers.leave()
      throw error
    }
    return answer instanceof Promise ? this.#later(answer, wait) : this.#startSleep(answer, wait)
  }

  /** No async function: with thousands of callers each would keep a frame of its own. */
  #later(answer: Promise<Decision | ReservedRows>, wait: Wait): Promise<Decision> {
    return answer.then(
      (reserved) => {
        try {
          this.#mustGoOn(wait)
        } catch (error) {
          this.giveBack(reserved)
          throw error
        }
        return this.#startSleep(reserved, wait)
      },
      (error: unknown) => {
        this.#sleepers.leave()
        throw error
      },
    )
  }

  /** No place is left: the store is asked without a wait, so that only those are refused who would have to wait. */
  #atOnce(reserver: Reserver, wait: Wait): Decision | Promise<Decision> {
    const answer = reserver.reserve(0)
    return answer instanceof Promise
      ? answer.then((reserved) => this.#withoutDelay(reserved, wait))
      : this.#withoutDelay(answer, wait)
  }

  #withoutDelay(answer: Decision | ReservedRows, wait: Wait): Decision {
    const decision = this.#decisionOf(answer)
    try {
      this.#mustGoOn(wait)
    } catch (error) {
      void decision.refund()
      throw error
    }
    if (decision.reason === 'limited') this.#maker.tooManyWaiting()
    return decision
  }

  #mustGoOn({ signal }: Wait): void {
    if (this.#sleepers.closedBy !== undefined) throw this.#sleepers.closedBy
    signal?.throwIfAborted()
  }

  #startSleep(answer: Decision | ReservedRows, wait: Wait): Decision | Promise<Decision> {
    const waitMs = 'rows' in answer ? waitMsOf(answer) : 0
    if (!('rows' in answer) || waitMs === 0) {
      this.#sleepers.leave()
      return this.#decisionOf(answer)
    }
    wait.reserved?.(waitMs)
    return new Promise((resolve, reject) => {
      const caller = new DelayedCaller(this, answer, { resolve, reject, sleepers: this.#sleepers, wait })
      this.#sleepers.put(caller, lengthOf(answer, { waitMs, jitter: wait.jitter }))
    })
  }

  #decisionOf(answer: Decision | ReservedRows): Decision {
    return 'rows' in answer ? this.#maker.decisionFrom(answer) : answer
  }

  wake(reserved: ReservedRows): Decision {
    this.#sleepers.leave()
    return this.#maker.decisionFrom(reserved)
  }

  /** A caller that gives up gives its turn back; nothing waits for that. */
  giveBack(answer: Decision | ReservedRows): void {
    this.#sleepers.leave()
    void this.#decisionOf(answer).refund()
  }

  close(): void {
    const error = new Error('the limiter was closed while this caller waited')
    this.#sleepers.close(Object.assign(error, { code: 'SLUICE_CLOSED' }))
  }
}

/** One caller that is held. */
class DelayedCaller extends Sleep {
  readonly #delays: Delays
  readonly #reserved: ReservedRows
  readonly #resolve: (decision: Decision) => void
  readonly #reject: (error: unknown) => void

  constructor(
    delays: Delays,
    reserved: ReservedRows,
    about: {
      sleepers: Sleepers
      wait: Wait
      resolve: (decision: Decision) => void
      reject: (error: unknown) => void
    },
  ) {
    super(about.sleepers, about.wait.signal)
    this.#delays = delays
    this.#reserved = reserved
    this.#resolve = about.resolve
    this.#reject = about.reject
  }

  woken(): void {
    this.#resolve(this.#delays.wake(this.#reserved))
  }

  failed(error: unknown): void {
    this.#delays.giveBack(this.#reserved)
    this.#reject(error)
  }
}

function waitMsOf({ checks, rows }: ReservedRows): number {
  return Math.ceil(waitUsOf(checks, rows) / 1000)
}

/** Where no store has spaced the callers, chance does. */
function lengthOf(
  { checks, rows }: ReservedRows,
  { waitMs, jitter }: { waitMs: number; jitter: Jitter | undefined },
): number {
  if (jitter === undefined && rows.source !== 'none') return waitMs
  return lengthened(waitMs, spacingMs(checks), jitter)
}
