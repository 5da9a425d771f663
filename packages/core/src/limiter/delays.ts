import type { Decision } from '../decision/decision.ts'
import { verdictsBehind } from '../decision/limiter-decision.ts'
import { codedError } from '../errors.ts'
import { type Jitter, lengthened } from '../waiting/jitter.ts'
import { Sleep, type Sleepers } from '../waiting/sleepers.ts'
import type { Wait } from '../waiting/wait.ts'
import { spacingMs } from './reserving.ts'

/** Reserves for one caller, no further ahead than `maxWaitUs`. */
type Reserve = (maxWaitUs: number) => Decision | Promise<Decision>

/** Delays callers until what they have reserved is due. */
export class Delays {
  readonly #sleepers: Sleepers
  readonly #full: () => void

  /** `full`: a caller was refused that might have waited, had there been a place. */
  constructor(sleepers: Sleepers, full: () => void) {
    this.#sleepers = sleepers
    this.#full = full
  }

  /** The decision when its time has come, at once where there is nothing to wait for; a refusal at once. */
  delay(reserve: Reserve, wait: Wait): Decision | Promise<Decision> {
    this.mustGoOn(wait)
    if (!this.#sleepers.enter()) return this.#withoutPlace(reserve, wait)
    let decision: Decision | Promise<Decision>
    try {
      decision = reserve(wait.maxWaitUs)
    } catch (error) {
      this.#sleepers.leave()
      throw error
    }
    return decision instanceof Promise ? this.#later(decision, wait) : this.#startSleep(decision, wait)
  }

  /** No async function: with thousands of callers each would keep a frame of its own. */
  #later(decision: Promise<Decision>, wait: Wait): Promise<Decision> {
    return decision.then(
      (reserved) => {
        try {
          this.mustGoOn(wait)
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

  /** The store is asked without a wait, so that only callers that would have to wait are refused. */
  #withoutPlace(reserve: Reserve, wait: Wait): Decision | Promise<Decision> {
    const decision = reserve(0)
    return decision instanceof Promise
      ? decision.then((decided) => this.#withoutDelay(decided, wait))
      : this.#withoutDelay(decision, wait)
  }

  #withoutDelay(decision: Decision, wait: Wait): Decision {
    try {
      this.mustGoOn(wait)
    } catch (error) {
      void decision.refund()
      throw error
    }
    if (decision.reason === 'limited') this.#full()
    return decision
  }

  /** Throws why a caller cannot wait, or not any more. */
  mustGoOn({ signal }: Wait): void {
    if (this.#sleepers.closedBy !== undefined) throw this.#sleepers.closedBy
    signal?.throwIfAborted()
  }

  #startSleep(decision: Decision, wait: Wait): Decision | Promise<Decision> {
    const { waitMs } = decision
    if (waitMs === 0) {
      this.#sleepers.leave()
      return decision
    }
    wait.reserved?.(waitMs)
    return new Promise((resolve, reject) => {
      const caller = new DelayedCaller(this, decision, { resolve, reject, sleepers: this.#sleepers, wait })
      this.#sleepers.put(caller, lengthOf(decision, wait.jitter))
    })
  }

  wake(): void {
    this.#sleepers.leave()
  }

  /** A caller that gives up gives its turn back; nothing waits for that. */
  giveBack(decision: Decision): void {
    this.#sleepers.leave()
    void decision.refund()
  }

  close(): void {
    const message = 'the limiter was closed meanwhile'
    this.#sleepers.close(codedError(message, { code: 'SLUICE_CLOSED' }))
  }
}

/** One caller that is held. */
class DelayedCaller extends Sleep {
  readonly #delays: Delays
  readonly #decision: Decision
  readonly #resolve: (decision: Decision) => void
  readonly #reject: (error: unknown) => void

  constructor(
    delays: Delays,
    decision: Decision,
    about: {
      sleepers: Sleepers
      wait: Wait
      resolve: (decision: Decision) => void
      reject: (error: unknown) => void
    },
  ) {
    super(about.sleepers, about.wait.signal)
    this.#delays = delays
    this.#decision = decision
    this.#resolve = about.resolve
    this.#reject = about.reject
  }

  woken(): void {
    this.#delays.wake()
    this.#resolve(this.#decision)
  }

  failed(error: unknown): void {
    this.#delays.giveBack(this.#decision)
    this.#reject(error)
  }
}

/** Where no store has spaced the callers, chance does. */
function lengthOf(decision: Decision, jitter: Jitter | undefined): number {
  const { waitMs, source } = decision
  return jitter === undefined && source !== 'none'
    ? waitMs
    : lengthened(waitMs, spacingMs(verdictsBehind(decision)), jitter)
}
