import type { Decision } from '../decision.ts'
import type { Rows } from '../store.ts'
import { type Jitter, lengthened } from '../waiting/jitter.ts'
import { Sleep, type Sleepers } from '../waiting/sleepers.ts'
import type { NamedCheck } from './decided.ts'
import { spacingMs, waitUsOf } from './reserving.ts'

/** Rejects whoever waits at a limiter that is closed. */
export function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SLUICE_CLOSED'
}

/** How somebody waits. */
export interface Patience {
  readonly maxWaitUs: number
  readonly signal: AbortSignal | undefined
  readonly jitter: Jitter | undefined
  /** Told before it sleeps. */
  readonly reserved?: (waitMs: number) => void
}

/** What a store has answered to a reservation: a decision is made of it when somebody is to read it. */
export interface Reserved {
  readonly checks: readonly NamedCheck[]
  readonly rows: Rows
  decision: Decision | undefined
}

/** The limiter behind. */
interface Reserver {
  reserve(maxWaitUs: number): Decision | Reserved | Promise<Decision | Reserved>
}

interface Maker {
  decisionFrom(reserved: Reserved): Decision
  /** Somebody was refused who might have waited, had there been a place. */
  crowded(): void
}

/** Holds callers until what they have reserved is due. */
export class Holding {
  readonly #sleepers: Sleepers
  readonly #maker: Maker

  constructor(sleepers: Sleepers, maker: Maker) {
    this.#sleepers = sleepers
    this.#maker = maker
  }

  /** The decision when its time has come, at once where there is nothing to wait for; a refusal at once. */
  hold(reserver: Reserver, patience: Patience): Decision | Promise<Decision> {
    this.#mustGoOn(patience)
    if (!this.#sleepers.enter()) return this.#atOnce(reserver, patience)
    let answer: ReturnType<Reserver['reserve']>
    try {
      answer = reserver.reserve(patience.maxWaitUs)
    } catch (error) {
      this.#sleepers.leave()
      throw error
    }
    return answer instanceof Promise ? this.#later(answer, patience) : this.#settle(answer, patience)
  }

  /** What is asked of a server is not held by a function that waits: of those there would be thousands. */
  #later(answer: Promise<Decision | Reserved>, patience: Patience): Promise<Decision> {
    return answer.then(
      (reserved) => {
        try {
          this.#mustGoOn(patience)
        } catch (error) {
          this.giveBack(reserved)
          throw error
        }
        return this.#settle(reserved, patience)
      },
      (error: unknown) => {
        this.#sleepers.leave()
        throw error
      },
    )
  }

  /** No place is left: the store is asked without patience, so that only those are refused who would have to wait. */
  #atOnce(reserver: Reserver, patience: Patience): Decision | Promise<Decision> {
    const answer = reserver.reserve(0)
    return answer instanceof Promise
      ? answer.then((reserved) => this.#unheld(reserved, patience))
      : this.#unheld(answer, patience)
  }

  #unheld(answer: Decision | Reserved, patience: Patience): Decision {
    const decision = this.#decisionOf(answer)
    try {
      this.#mustGoOn(patience)
    } catch (error) {
      void decision.refund()
      throw error
    }
    if (decision.reason === 'limited') this.#maker.crowded()
    return decision
  }

  #mustGoOn({ signal }: Patience): void {
    if (this.#sleepers.closedBy !== undefined) throw this.#sleepers.closedBy
    signal?.throwIfAborted()
  }

  #settle(answer: Decision | Reserved, patience: Patience): Decision | Promise<Decision> {
    const waitMs = 'rows' in answer ? waitMsOf(answer) : 0
    if (!('rows' in answer) || waitMs === 0) {
      this.#sleepers.leave()
      return this.#decisionOf(answer)
    }
    patience.reserved?.(waitMs)
    return new Promise((resolve, reject) => {
      const held = new Held(this, answer, { resolve, reject, sleepers: this.#sleepers, patience })
      this.#sleepers.put(held, lengthOf(answer, { waitMs, jitter: patience.jitter }))
    })
  }

  #decisionOf(answer: Decision | Reserved): Decision {
    return 'rows' in answer ? this.#maker.decisionFrom(answer) : answer
  }

  wake(reserved: Reserved): Decision {
    this.#sleepers.leave()
    return this.#maker.decisionFrom(reserved)
  }

  /** Whoever does not come back gives the place back, and nobody waits for that. */
  giveBack(answer: Decision | Reserved): void {
    this.#sleepers.leave()
    void this.#decisionOf(answer).refund()
  }

  close(): void {
    const error = new Error('the limiter was closed while somebody waited')
    this.#sleepers.close(Object.assign(error, { code: 'SLUICE_CLOSED' }))
  }
}

/** One caller that is held. */
class Held extends Sleep {
  readonly #holding: Holding
  readonly #reserved: Reserved
  readonly #resolve: (decision: Decision) => void
  readonly #reject: (error: unknown) => void

  constructor(
    holding: Holding,
    reserved: Reserved,
    about: {
      sleepers: Sleepers
      patience: Patience
      resolve: (decision: Decision) => void
      reject: (error: unknown) => void
    },
  ) {
    super(about.sleepers, about.patience.signal)
    this.#holding = holding
    this.#reserved = reserved
    this.#resolve = about.resolve
    this.#reject = about.reject
  }

  woken(): void {
    this.#resolve(this.#holding.wake(this.#reserved))
  }

  failed(error: unknown): void {
    this.#holding.giveBack(this.#reserved)
    this.#reject(error)
  }
}

function waitMsOf({ checks, rows }: Reserved): number {
  return Math.ceil(waitUsOf(checks, rows) / 1000)
}

/** Where no store has spaced the callers, chance does. */
function lengthOf(
  { checks, rows }: Reserved,
  { waitMs, jitter }: { waitMs: number; jitter: Jitter | undefined },
): number {
  if (jitter === undefined && rows.source !== 'none') return waitMs
  return lengthened(waitMs, spacingMs(checks), jitter)
}
