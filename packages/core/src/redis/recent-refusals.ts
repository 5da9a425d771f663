import { type Keyed, KeyedList } from '../linked-list.ts'
import type { Policy } from '../policy.ts'
import { isBlock, makeRow, unasked } from '../row.ts'
import type { Check, Question, StoreRow, StoreRows } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { ServerClock } from './server-deadlines.ts'

/** A refusal by the server, by the server's clock. */
interface RecentRefusal extends Keyed<RecentRefusal> {
  readonly row: StoreRow
  readonly clock: ServerClock
  readonly untilUs: number
  readonly resetUs: number
  /** Until when the refusal is repeated, by the clock of this process. */
  readonly staleUs: number
}

/** What is known of a limiter's policy. */
interface SeenPolicy {
  /** undefined: its numbers change from call to call. A state that other numbers have written may free itself at another time. */
  policy: Policy | undefined
  /** Keys that this process is changing, and how often. */
  readonly changing: Map<string, number>
}

/** How many are kept, of all policies of a store together: each new one takes the place of the oldest. */
const mostKept = 10_000
/** How many refusals that are over are dropped at a time. */
const sweepSteps = 2

/**
 * Refusals of the last moment, which are repeated without asking the server, with the wait as it is then. A key that was refused can
 * pass before its wait is over only where somebody gives back or changes it: what this process does is seen, what others do is not,
 * so a refusal is repeated for a bounded time only.
 */
export class RecentRefusals {
  readonly #forUs: number
  readonly #policies = new Map<string, SeenPolicy>()
  /** All are repeated for the same time, so they are over in the order in which they were made. */
  readonly #kept = new KeyedList<RecentRefusal>()

  constructor(forUs: number) {
    this.#forUs = forUs
  }

  get size(): number {
    return this.#kept.size
  }

  /** The rows of a question that would be refused now; undefined: the server is to be asked. */
  rowsFor(question: Question, localUs: number): StoreRows | undefined {
    const { checks } = question
    for (let i = 0; i < checks.length; i++) {
      const check = checks[i]
      if (check !== undefined) this.#seen(check)
    }
    if (this.#kept.size === 0) return undefined
    const plain = isPlain(question)
    this.#sweep(localUs)
    // A reservation makes the wait longer, and the next caller comes behind it.
    if (!plain) for (const each of checks) this.#kept.drop(this.#kept.get(each))
    const check = checks[0]
    if (!plain || check === undefined) return undefined
    const refusal = this.#kept.get(check)
    if (refusal === undefined || !canRepeat(check, refusal.row)) return undefined
    const nowUs = refusal.clock.latest(localUs)
    const waitUs = refusal.untilUs - nowUs
    // A wait that has grown: the server's clock was set.
    if (localUs >= refusal.staleUs || waitUs <= 0 || waitUs > refusal.row.retryAfterUs) {
      this.#kept.drop(refusal)
      return undefined
    }
    const { limit, remaining, reason } = refusal.row
    const rest = { limit, remaining, retryAfterUs: waitUs, resetAfterUs: refusal.resetUs - nowUs }
    return unasked([makeRow(rest, reason, '')])
  }

  /** The connection was lost: the server may come back without its data. */
  forgetAll(): void {
    this.#kept.clear()
  }

  /** Notes what the server has answered at an instant of its clock. */
  heard(
    question: Question,
    rows: StoreRows,
    { clock, serverUs, localUs }: { clock: ServerClock; serverUs: number; localUs: number },
  ): void {
    const { checks } = question
    for (let i = 0; i < checks.length && this.#kept.size > 0; i++) {
      const check = checks[i]
      // Units were taken from the key, so it waits for longer than its refusal says.
      if (check !== undefined && (rows[i]?.receipt ?? '') !== '') this.#forget(check)
    }
    const check = checks[0]
    const row = rows[0]
    if (check === undefined || row === undefined || row.allowed || row.retryAfterUs <= 0) return
    const { policy, changing } = this.#seen(check)
    if (policy === undefined || changing.has(check.key)) return
    if (!isPlain(question) || !canRepeat(check, row)) return
    // A look begins nothing: the wait of an unknown key starts with its first check.
    if (!question.take && partsOf(check.policy).definition.begin !== undefined) return
    if (this.#kept.size >= mostKept) this.#kept.drop(this.#kept.first)
    this.#kept.put({
      id: check.id,
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
   * Gives back to keys, charges them, or changes them by hand. Until the change is over no refusal of these keys is kept: the reply may
   * be from before the change.
   */
  async during<T>(checks: readonly Check[], change: () => Promise<T>): Promise<T> {
    for (const check of checks) this.#begin(check)
    try {
      return await change()
    } finally {
      for (const check of checks) this.#end(check)
    }
  }

  /** Another process has changed these keys. */
  changed(checks: readonly Check[]): void {
    for (const check of checks) this.#forget(check)
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

  #forget(check: Check): SeenPolicy {
    this.#kept.drop(this.#kept.get(check))
    return this.#seen(check)
  }

  #seen({ id, policy }: Check): SeenPolicy {
    const known = this.#policies.get(id)
    if (known === undefined) {
      const first = { policy, changing: new Map<string, number>() }
      this.#policies.set(id, first)
      return first
    }
    const { policy: before } = known
    if (before !== undefined && before !== policy && partsOf(before).value !== partsOf(policy).value) {
      known.policy = undefined
      this.#kept.dropOf(id)
    }
    return known
  }

  /** Each question drops two refusals that are over, or all at once where the latest is over. */
  #sweep(localUs: number): void {
    const { last } = this.#kept
    if (last === undefined) return
    if (localUs >= last.staleUs) this.#kept.clear()
    for (let step = 0; step < sweepSteps; step++) {
      const { first } = this.#kept
      if (first === undefined || localUs < first.staleUs) return
      this.#kept.drop(first)
    }
  }
}

/** Whether it is one check, decided at once and by this call alone: the answer of several policies depends on more than one key. */
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
