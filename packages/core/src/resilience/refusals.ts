import { type Keyed, KeyedList } from '../linked-list.ts'
import type { Policy } from '../policy.ts'
import { isBlock } from '../row.ts'
import type { Check, StoreRow } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'

/** How many keys are searched for refusals that have ended: at every refusal, and where there is no room for a new key. */
const usualSteps = 2
const mostSteps = 64

/** A refusal by the store: until when it holds, and from which cost on, for callers that do not wait. */
interface KnownRefusal {
  readonly untilUs: number
  readonly cost: number
  readonly row: StoreRow
  readonly policy: Policy
}

interface RefusedKey extends Keyed<RefusedKey> {
  /**
   * By ascending cost. Of those that hold for one check, each ends later than the one before it, as the refusal of a low cost holds for
   * higher costs too.
   */
  refusals: readonly KnownRefusal[]
}

/** How many are kept of one key. */
const mostRefusals = 4

/** A key that this process has changed, and the number of that change among all changes of the process, from 1. */
interface ChangedKey extends Keyed<ChangedKey> {
  readonly moment: number
}

/** How many changed keys are kept. Any key may have had a change that is older than these. */
const mostChanged = 1000

/** The latest keys to which this process has given back, or that it has changed by hand. */
class ChangedKeys {
  readonly #kept = new KeyedList<ChangedKey>()
  #moment = 0
  /** The number of the latest change whose key is no longer kept: any key may have been changed up to it. */
  #unknownUntil = 0

  get moment(): number {
    return this.#moment
  }

  note({ id, key }: Check): void {
    this.#moment++
    this.#kept.put({ id, key, moment: this.#moment, previous: undefined, next: undefined })
    const { first } = this.#kept
    if (first === undefined || this.#kept.size <= mostChanged) return
    this.#unknownUntil = first.moment
    this.#kept.drop(first)
  }

  isChangedSince(check: Check, moment: number): boolean {
    return moment < (this.#kept.get(check)?.moment ?? this.#unknownUntil)
  }
}

/** Keys that the store has refused, and until when: an exhausted key stays refused through an outage. */
export class Refusals {
  readonly #most: number
  readonly #kept = new KeyedList<RefusedKey>()
  readonly #changed = new ChangedKeys()

  /** `most`: how many keys are kept. Refusals of further keys are not. */
  constructor(most: number) {
    this.#most = most
  }

  get moment(): number {
    return this.#changed.moment
  }

  /**
   * Keeps the store's refusal of a question that was asked at `moment`. A cost that never fits is not kept, as it says nothing of the
   * key; nor is an answer that may be older than a change of the key.
   */
  keep(
    check: Check,
    row: StoreRow,
    { nowUs, maxWaitUs, moment }: { nowUs: number; maxWaitUs: number; moment: number },
  ): void {
    const { id, key, cost, policy } = check
    if (this.#changed.isChangedSince(check, moment)) return
    if (row.retryAfterUs <= 0 || (row.reason !== 'limited' && !isBlock(row.reason))) return
    this.#sweep(usualSteps, nowUs)
    const known = this.#kept.get(check)
    if (known === undefined) {
      if (this.#kept.size >= this.#most) this.#sweep(mostSteps, nowUs)
      if (this.#kept.size >= this.#most) return
    }
    // A blocked key is refused at any cost and with any `maxWait`.
    const [least, moreUs] = isBlock(row.reason) ? [0, 0] : [cost, maxWaitUs]
    const retryAfterUs = row.retryAfterUs + moreUs
    const refusal = { untilUs: nowUs + retryAfterUs, cost: least, row: { ...row, retryAfterUs }, policy }
    if (known === undefined)
      this.#kept.put({ id, key, refusals: [refusal], previous: undefined, next: undefined })
    else known.refusals = withLatest(known.refusals, refusal, nowUs)
  }

  /** Drops the refusals of the key that held for the check: the store has admitted it since. */
  drop(check: Check): void {
    const known = this.#kept.get(check)
    if (known === undefined) return
    known.refusals = known.refusals.filter((each) => !holdsFor(check, each))
    if (known.refusals.length === 0) this.#kept.drop(known)
  }

  /** The key may pass again: it was freed by hand, or units were given back to it. */
  free(check: Check): void {
    this.#changed.note(check)
    this.#kept.drop(this.#kept.get(check))
  }

  /** Units were given back to the key: it may pass again, unless it is blocked. */
  forgive(check: Check): void {
    if (!isBlock(this.#kept.get(check)?.refusals[0]?.row.reason ?? null)) this.free(check)
  }

  /** How long from now a caller would have to wait by the store's refusal, if it may wait at all; 0 without a refusal. */
  waitUsFor(check: Check, nowUs: number): number {
    return (this.#refusalFor(check, nowUs)?.untilUs ?? nowUs) - nowUs
  }

  /** The highest cost that is not known to be refused. */
  mostFor(check: Check, nowUs: number): number {
    return Math.max(0, (this.#holding(check, nowUs)[0]?.cost ?? Number.POSITIVE_INFINITY) - 1)
  }

  /** The refusal that still holds for the check, with its times as of now. */
  rowFor(check: Check, { nowUs, maxWaitUs }: { nowUs: number; maxWaitUs: number }): StoreRow | undefined {
    if (check.cost === 0) return undefined
    const refusal = this.#refusalFor(check, nowUs)
    if (refusal === undefined) return undefined
    const { row, untilUs } = refusal
    const waitUs = untilUs - nowUs
    const isBlocked = isBlock(row.reason)
    const accepted = isBlocked ? 0 : maxWaitUs
    if (waitUs <= accepted) return undefined
    return {
      ...row,
      // A block holds for all numbers, and may have been heard of by others.
      limit: isBlocked ? partsOf(check.policy).units : row.limit,
      retryAfterUs: waitUs - accepted,
      resetAfterUs: waitUs + Math.max(0, row.resetAfterUs - row.retryAfterUs),
    }
  }

  /** The refusal that holds longest for the check's cost: of several, that of the lowest cost ends first. */
  #refusalFor(check: Check, nowUs: number): KnownRefusal | undefined {
    return this.#holding(check, nowUs).findLast(({ cost }) => check.cost >= cost)
  }

  #holding(check: Check, nowUs: number): readonly KnownRefusal[] {
    const known = this.#kept.get(check)?.refusals ?? []
    return known.filter((each) => each.untilUs > nowUs && holdsFor(check, each))
  }

  /** Continues where the last call stopped, so that no call walks over all keys. */
  #sweep(steps: number, nowUs: number): void {
    for (let i = 0; i < steps; i++) {
      const { first } = this.#kept
      if (first === undefined) return
      if (first.refusals.every(({ untilUs }) => untilUs <= nowUs)) this.#kept.drop(first)
      else this.#kept.putOff(first)
    }
  }
}

/** Whether a refusal holds for a check: what some numbers refuse may pass by others that a call chooses, unless it is blocked. */
function holdsFor(check: Pick<Check, 'policy'>, refusal: KnownRefusal): boolean {
  return isBlock(refusal.row.reason) || partsOf(check.policy).value === partsOf(refusal.policy).value
}

/**
 * The latest refusal, and those older ones that it does not cover: of a lower cost, of a higher cost and ending later, or by other numbers.
 */
function withLatest(
  known: readonly KnownRefusal[],
  latest: KnownRefusal,
  nowUs: number,
): readonly KnownRefusal[] {
  const isLeft = (each: KnownRefusal) => {
    const isCovered = each.cost === latest.cost || (each.cost > latest.cost && each.untilUs <= latest.untilUs)
    // A block, which has no cost, is one for all numbers.
    return each.untilUs > nowUs && !(isCovered && (latest.cost === 0 || holdsFor(latest, each)))
  }
  const all = [...known.filter(isLeft), latest].sort((a, b) => a.cost - b.cost)
  // The second lowest cost goes: the lowest matters most, and the highest holds for the longest time.
  if (all.length > mostRefusals) all.splice(1, 1)
  return all
}
