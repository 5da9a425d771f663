import { isLateError } from '../errors.ts'
import type { Check, Question, StoreRows, Warning } from '../store.ts'

/** Whether a script has met a key whose value no strategy wrote: only that key cannot be counted. */
export function isOneKeysFault(error: unknown): boolean {
  return error instanceof Error && error.message.includes('SLUICE a key holds')
}

/** The warning about such a key. */
export const foreignKey: Warning = {
  code: 'SLUICE_KEY_FOREIGN',
  message:
    'a key holds a value that no strategy wrote, so it cannot be counted: another program writes there; give Sluice a prefix or a database of its own, and delete what the other program wrote under the names of Sluice',
}

/** Whether a server has refused a write: it is a replica, is full, cannot save, or has too few replicas. */
function isWriteRefusal(error: unknown): boolean {
  return error instanceof Error && /(^|-)(READONLY|OOM|MISCONF|NOREPLICAS) /.test(error.message)
}

/** Whether a server's user may not run a command, or use a key, by itself or in a script. */
export function isForbidden(error: unknown): boolean {
  return error instanceof Error && /NOPERM|user executing the script|ACL failure/.test(error.message)
}

const forbidden: Warning = {
  code: 'SLUICE_FORBIDDEN',
  message:
    'Redis forbids its user what some checks need, which are decided without it: see ACL LOG at the server',
}

/** A check that was forbidden may never be asked again. */
const forbiddenForMs = 300_000

/** What the failures of a store say of it, until its answers say otherwise. */
export class StoreFailures {
  /** How many calls have failed. */
  count = 0
  /** The latest, of a call or a probe. */
  latest: unknown
  /** Whether the latest of a call concerns, as far as is known, only the keys that were asked for. */
  keysAlone = false
  /** Whether a write was refused and the store has taken nothing since. */
  writesFail = false
  /** Whether `answered` has something to take back. */
  lasting = false
  /** By their ids, when the store's user last lacked a right for checks that have taken nothing since. */
  readonly #forbidden = new Map<string, number>()

  /** A call for `checks` has failed; `keysWait`: a busy key alone may have made it late. Answers what to warn of. */
  callFailed(error: unknown, checks: readonly Check[], keysWait: boolean): Warning | undefined {
    this.count++
    this.probeFailed(error)
    const isForeign = isOneKeysFault(error)
    this.keysAlone = isForeign || (isLateError(error) && keysWait)
    if (isForeign) return foreignKey
    if (!isForbidden(error)) return undefined
    for (const { id } of checks) this.#forbidden.set(id, performance.now())
    this.lasting = true
    return forbidden
  }

  probeFailed(error: unknown): void {
    this.latest = error
    // Kept when set: a client closes its connection to a replica, and the other calls under way there fail with another error.
    if (isWriteRefusal(error)) this.writesFail = this.lasting = true
  }

  answered({ checks }: Question, rows: StoreRows): void {
    this.writesFail &&= rows.every(({ receipt }) => receipt === '')
    for (const [i, { id }] of checks.entries()) if (rows[i]?.receipt) this.#forbidden.delete(id)
    this.lasting = this.writesFail || this.#forbidden.size > 0
  }

  /** Whether some checks are decided without the store for want of a right. */
  get forbids(): boolean {
    return performance.now() - Math.max(...this.#forbidden.values()) < forbiddenForMs
  }
}
