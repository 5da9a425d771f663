import type { Policy } from '../policy.ts'
import { isBlock, unasked } from '../row.ts'
import type { Check, Question, StoreRow, StoreRows } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import { KeptRefusals, PolicyRefusals } from './kept-refusals.ts'
import type { ServerClock } from './server-clock.ts'

/**
 * Refusals of the last moment, which are repeated without asking the server, with the wait as it is then. A key that was refused can
 * pass before its wait is over only where somebody gives back or changes it: what this process does is seen, what others do is not,
 * so a refusal is repeated for a bounded time only.
 */
export class RecentRefusals {
  readonly #forUs: number
  readonly #byId = new Map<string, PolicyRefusals>()
  readonly #kept: KeptRefusals

  constructor(forUs: number, kept: KeptRefusals = new KeptRefusals()) {
    this.#forUs = forUs
    this.#kept = kept
  }

  /** The rows of a question that would be refused now; undefined: the server is to be asked. */
  rowsFor(question: Question, localUs: number): StoreRows | undefined {
    const { checks } = question
    const plain = isPlain(question)
    this.#kept.sweep(localUs)
    let refusals: PolicyRefusals | undefined
    for (let i = checks.length - 1; i >= 0; i--) {
      const check = checks[i]
      if (check === undefined) continue
      refusals = this.#seen(check)
      // What reserves makes the wait longer, and who asks next comes after it.
      if (!plain) this.#kept.drop(refusals.get(check.key))
    }
    const [check] = checks
    if (!plain || check === undefined || refusals === undefined) return undefined
    const refusal = refusals.get(check.key)
    if (refusal === undefined || !canRepeat(check, refusal.row)) return undefined
    const nowUs = refusal.clock.latest(localUs)
    const waitUs = refusal.untilUs - nowUs
    // A wait that has grown: the server's clock was set.
    if (localUs >= refusal.staleUs || waitUs <= 0 || waitUs > refusal.row.retryAfterUs) {
      this.#kept.drop(refusal)
      return undefined
    }
    return unasked([{ ...refusal.row, retryAfterUs: waitUs, resetAfterUs: refusal.resetUs - nowUs }])
  }

  /** The connection was lost: the server may come back without its data. */
  forgetAll(): void {
    this.#kept.dropAll()
  }

  /** What the server has answered at an instant of its clock. */
  heard(
    question: Question,
    rows: StoreRows,
    { clock, serverUs, localUs }: { clock: ServerClock; serverUs: number; localUs: number },
  ): void {
    const { checks } = question
    for (let i = 0; i < checks.length; i++) {
      const check = checks[i]
      // A key that was taken from waits for longer than it said.
      if (check !== undefined && (rows[i]?.receipt ?? '') !== '') this.#forget(check)
    }
    const [check] = checks
    const [row] = rows
    if (check === undefined || row === undefined || row.allowed || row.retryAfterUs <= 0) return
    const refusals = this.#seen(check)
    if (refusals.policy === undefined || refusals.changing.has(check.key)) return
    if (!isPlain(question) || !canRepeat(check, row)) return
    // A look begins nothing: the wait of an unknown key starts with its first check.
    if (!question.take && partsOf(check.policy).definition.begin !== undefined) return
    this.#kept.keep({
      of: refusals,
      key: check.key,
      row,
      clock,
      untilUs: serverUs + row.retryAfterUs,
      resetUs: serverUs + row.resetAfterUs,
      staleUs: localUs + this.#forUs,
      previous: undefined,
      next: undefined,
    })
  }

  /**
   * Keys that this process gives back to, charges, or changes by hand. Until the change is over no refusal of theirs is kept: the reply
   * may be from before it.
   */
  async during<T>(checks: readonly Check[], change: () => Promise<T>): Promise<T> {
    for (const check of checks) this.#begin(check)
    try {
      return await change()
    } finally {
      for (const check of checks) this.#end(check)
    }
  }

  #begin(check: Check): void {
    const { changing } = this.#forget(check)
    changing.set(check.key, (changing.get(check.key) ?? 0) + 1)
  }

  #end(check: Check): void {
    const { changing } = this.#seen(check)
    const left = (changing.get(check.key) ?? 0) - 1
    if (left > 0) changing.set(check.key, left)
    else changing.delete(check.key)
  }

  #forget(check: Check): PolicyRefusals {
    const refusals = this.#seen(check)
    this.#kept.drop(refusals.get(check.key))
    return refusals
  }

  #seen({ id, policy }: Check): PolicyRefusals {
    const known = this.#byId.get(id)
    if (known === undefined) {
      const first = new PolicyRefusals(policy)
      this.#byId.set(id, first)
      return first
    }
    if (known.policy !== undefined && known.policy !== policy && !isSame(known.policy, policy)) {
      known.policy = undefined
      this.#kept.dropOf(known)
    }
    return known
  }
}

/** One check, decided at once and by this call alone: what several policies say depends on more than one key. */
function isPlain({ checks, maxWaitUs, others }: Question): boolean {
  return checks.length === 1 && maxWaitUs === 0 && others === undefined
}

/**
 * A block refuses any cost, and the server must see a request only where requests prolong the block. A limit refuses again only what is
 * known not to fit, which is any cost after a refused cost of 1. A key that a look found used up is not blocked yet: a check blocks it.
 */
function canRepeat({ policy, cost }: Check, { reason }: StoreRow): boolean {
  const { definition, countsRequests, blocking } = partsOf(policy)
  if (isBlock(reason)) return blocking?.prolong !== true
  if (reason !== 'limited' || blocking !== undefined) return false
  return definition.refusalsLast === true && (cost === 1 || (countsRequests && cost > 0))
}

function isSame(one: Policy, other: Policy): boolean {
  return partsOf(one).value === partsOf(other).value
}
