import { type Keyed, KeyedList } from '../linked-list.ts'
import { isBlock } from '../row.ts'
import type { Check, StoreRow } from '../store.ts'

/** How many are looked at for one that is over: at every refusal, and where there is no room for it. */
const usualSteps = 2
const mostSteps = 64

/** A refusal by the store: until when, and for which cost, for callers that do not wait. */
interface KnownRefusal {
  readonly untilUs: number
  readonly cost: number
  readonly row: StoreRow
  /** One of a higher cost that holds for longer. */
  readonly costlier: KnownRefusal | undefined
}

interface RefusedKey extends Keyed<RefusedKey> {
  refusal: KnownRefusal
}

/** A key that this process has changed, and which of all its changes that was, counted from 1. */
interface ChangedKey extends Keyed<ChangedKey> {
  readonly moment: number
}

/** How many are known; of what came before, any key may be. */
const mostChanged = 1000

/** The latest keys to which this process has given back, or that it has changed by hand. */
class ChangedKeys {
  readonly #kept = new KeyedList<ChangedKey>()
  #moment = 0
  /** Up to this change, any key may have been changed. */
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

const nothingKnown = { untilUs: 0, cost: Number.POSITIVE_INFINITY, costlier: undefined }

/** Keys that the store has refused, and until when: an exhausted key stays refused through an outage. */
export class Refusals {
  readonly #most: number
  readonly #kept = new KeyedList<RefusedKey>()
  readonly #changed = new ChangedKeys()

  /** `most`: further ones are not kept. */
  constructor(most: number) {
    this.#most = most
  }

  /** How many changes there were. */
  get moment(): number {
    return this.#changed.moment
  }

  /**
   * What the store has answered to a question that was asked at that moment. A cost that never fits says nothing of the key, nor does
   * an answer that may be from before a change of it.
   */
  keep(
    check: Check,
    row: StoreRow,
    { nowUs, maxWaitUs, moment }: { nowUs: number; maxWaitUs: number; moment: number },
  ): void {
    const { id, key, cost } = check
    if (this.#changed.isChangedSince(check, moment)) return
    if (row.retryAfterUs <= 0 || (row.reason !== 'limited' && !isBlock(row.reason))) return
    this.#sweep(usualSteps, nowUs)
    const known = this.#kept.get(check)
    if (known === undefined) {
      if (this.#kept.size >= this.#most) this.#sweep(mostSteps, nowUs)
      if (this.#kept.size >= this.#most) return
    }
    // A blocked key is refused at any cost and with any `maxWait`.
    const untilUs = nowUs + row.retryAfterUs
    const refusal = isBlock(row.reason)
      ? { untilUs, cost: 0, row, costlier: undefined }
      : {
          untilUs: untilUs + maxWaitUs,
          cost,
          row: { ...row, retryAfterUs: row.retryAfterUs + maxWaitUs },
          costlier: undefined,
        }
    if (known === undefined) this.#kept.put({ id, key, refusal, previous: undefined, next: undefined })
    else known.refusal = both(known.refusal, refusal, nowUs)
  }

  /** The store has admitted the key since. */
  drop(check: Check): void {
    this.#kept.drop(this.#kept.get(check))
  }

  /** The key may pass again: it was freed by hand, or units were given back to it. */
  free(check: Check): void {
    this.#changed.note(check)
    this.drop(check)
  }

  /** Units were given back to the key: it may pass again, unless it is blocked. */
  forgive(check: Check): void {
    if (!isBlock(this.#kept.get(check)?.refusal.row.reason ?? null)) this.free(check)
  }

  /** How long the store would let a caller wait, as of now, if it were to let it wait at all. */
  waitUsFor(check: Check, nowUs: number): number {
    const refusal = refusalOf(this.#kept.get(check)?.refusal, check.cost, nowUs)
    return refusal === undefined ? 0 : refusal.untilUs - nowUs
  }

  /** The highest cost that is not known to be refused. */
  mostFor(check: Check, nowUs: number): number {
    const { costlier, ...known } = this.#kept.get(check)?.refusal ?? nothingKnown
    if (known.untilUs > nowUs) return Math.max(0, known.cost - 1)
    return costlier !== undefined && costlier.untilUs > nowUs ? costlier.cost - 1 : nothingKnown.cost
  }

  /** The refusal that still holds, as of now. */
  rowFor(check: Check, { nowUs, maxWaitUs }: { nowUs: number; maxWaitUs: number }): StoreRow | undefined {
    if (check.cost === 0) return undefined
    const refusal = refusalOf(this.#kept.get(check)?.refusal, check.cost, nowUs)
    if (refusal === undefined) return undefined
    const waitUs = refusal.untilUs - nowUs
    const accepted = isBlock(refusal.row.reason) ? 0 : maxWaitUs
    if (waitUs <= accepted) return undefined
    const retryAfterUs = waitUs - accepted
    const passedUs = refusal.row.retryAfterUs - waitUs
    return {
      ...refusal.row,
      retryAfterUs,
      resetAfterUs: Math.max(waitUs, refusal.row.resetAfterUs - passedUs),
    }
  }

  /** Continues where it stopped, so that no call walks over all keys. */
  #sweep(steps: number, nowUs: number): void {
    for (let i = 0; i < steps; i++) {
      const { first } = this.#kept
      if (first === undefined) return
      if (isOver(first.refusal, nowUs)) this.#kept.drop(first)
      else this.#kept.putOff(first)
    }
  }
}

/**
 * The latest refusal and an older one, where each says what the other does not: that of a low cost holds for higher ones, and is over
 * sooner.
 */
function both(known: KnownRefusal, latest: KnownRefusal, nowUs: number): KnownRefusal {
  if (known.untilUs > nowUs && known.cost < latest.cost) return { ...known, costlier: latest }
  const { costlier = known } = known
  const saysMore = costlier.cost > latest.cost && costlier.untilUs > latest.untilUs
  return saysMore ? { ...latest, costlier: { ...costlier, costlier: undefined } } : latest
}

/** The one that holds for this cost: of two the lower one is over first. */
function refusalOf(known: KnownRefusal | undefined, cost: number, nowUs: number): KnownRefusal | undefined {
  if (known === undefined) return undefined
  const { costlier } = known
  if (costlier !== undefined && cost >= costlier.cost && costlier.untilUs > nowUs) return costlier
  return cost >= known.cost && known.untilUs > nowUs ? known : undefined
}

function isOver({ untilUs, costlier }: KnownRefusal, nowUs: number): boolean {
  return untilUs <= nowUs && (costlier === undefined || costlier.untilUs <= nowUs)
}
