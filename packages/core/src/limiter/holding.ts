import type { Clock } from '../clock.ts'
import type { Decision } from '../decision.ts'
import { type Jitter, lengthened } from '../waiting/jitter.ts'
import { Sleepers } from '../waiting/sleepers.ts'
import { answersBehind } from './decided.ts'
import { spacingMs } from './reserving.ts'

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
  readonly reserved?: (decision: Decision) => void
}

/** Holds callers until what they have reserved is due. */
export class Holding {
  readonly #sleepers: Sleepers
  readonly #full: () => Decision

  /** `full`: the answer to whoever finds no place. */
  constructor(most: number, about: { clock: Clock | undefined; full: () => Decision }) {
    this.#sleepers = new Sleepers(most, about.clock)
    this.#full = about.full
  }

  get count(): number {
    return this.#sleepers.count
  }

  /** The decision when its time has come, at once where there is nothing to wait for; a refusal at once. */
  hold(ask: () => Decision | Promise<Decision>, patience: Patience): Decision | Promise<Decision> {
    const { closedBy } = this.#sleepers
    if (closedBy !== undefined) throw closedBy
    patience.signal?.throwIfAborted()
    if (!this.#sleepers.enter()) return this.#full()
    let decision: Decision | Promise<Decision>
    try {
      decision = ask()
    } catch (error) {
      this.#sleepers.leave()
      throw error
    }
    if (decision instanceof Promise || decision.waitMs > 0) return this.#later(decision, patience)
    this.#sleepers.leave()
    return decision
  }

  async #later(asked: Decision | Promise<Decision>, patience: Patience): Promise<Decision> {
    try {
      const decision = asked instanceof Promise ? await asked : asked
      await this.#sleep(decision, patience)
      return decision
    } finally {
      this.#sleepers.leave()
    }
  }

  /** Whoever does not come back gives the place back, and nobody waits for that. */
  async #sleep(decision: Decision, { signal, jitter, reserved }: Patience): Promise<void> {
    try {
      signal?.throwIfAborted()
      if (this.#sleepers.closedBy !== undefined) throw this.#sleepers.closedBy
      if (decision.waitMs === 0) return
      reserved?.(decision)
      await this.#sleepers.sleep(lengthOf(decision, jitter), signal)
    } catch (error) {
      void decision.refund()
      throw error
    }
  }

  close(): void {
    const error = new Error('the limiter was closed while somebody waited')
    this.#sleepers.close(Object.assign(error, { code: 'SLUICE_CLOSED' }))
  }
}

/** Where no store has spaced the callers, chance does. */
function lengthOf(decision: Decision, jitter: Jitter | undefined): number {
  const { waitMs, source } = decision
  if (jitter === undefined && source !== 'none') return waitMs
  return lengthened(waitMs, spacingMs(answersBehind(decision).map(({ check }) => check)), jitter)
}
