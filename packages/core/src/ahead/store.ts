import type { Act } from '../act.ts'
import { askStore, isLater } from '../answers.ts'
import { realClock } from '../clock.ts'
import type { GuardedStore } from '../resilience/guarded-store.ts'
import { unasked } from '../row.ts'
import type { Change, Check, Command, Health, Question, Store, StoreRow, StoreRows } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { HotKey } from './hot-key.ts'
import { HotKeys } from './hot-keys.ts'
import { ownAnswer, type Source } from './own-answer.ts'
import { withInHand } from './rows.ts'
import { type Shortfall, Taking } from './taking.ts'

export type Inner = Source &
  Pick<GuardedStore, 'name' | 'clock' | 'answer' | 'adjust' | 'manage' | 'changed' | 'health'>

/**
 * A store around a store, for one limiter: it answers from units that it has taken ahead. Each unit counts from when it was taken, and
 * may be used for the time of `ahead` after the take was sent; the policies are counted by numbers which hold for any instant in it.
 * Units not used by then are given back. A process that dies, hangs or misses a reply leaves units unused, never used twice.
 */
export class AheadStore implements Store {
  readonly name: string
  readonly #inner: Inner
  readonly #keys: HotKeys
  readonly #taking: Taking
  readonly #closed: (store: AheadStore) => void
  #decisions = 0

  /** `closed`: called once the store is closed and takes nothing more. */
  constructor(inner: Inner, aheadUs: number, closed: (store: AheadStore) => void) {
    this.name = inner.name
    this.#inner = inner
    this.#keys = new HotKeys(inner, { aheadUs, clock: inner.clock ?? realClock })
    this.#taking = new Taking(inner, this.#keys)
    this.#closed = closed
  }

  /** Answers at once where all units that are asked for are in hand. */
  answer(question: Question): StoreRows | Promise<StoreRows> {
    const nowUs = this.#keys.clock.nowUs()
    const keys = this.#keysOf(question, nowUs)
    if (keys === undefined) return this.#answerWithoutTaking(question)
    const known = this.#fromHand(question, keys, nowUs)
    if (known !== undefined) return unasked(known)
    const shortfall: Shortfall = { question, keys, request: this.#inner.begin() }
    const pending = pendingOf(keys)
    return pending === undefined
      ? this.#taking.take(shortfall, nowUs)
      : pending.then(() => this.#afterOthers(shortfall))
  }

  /** The entries of the question's keys. undefined: nothing is taken ahead for this question. */
  #keysOf(
    { checks, take, maxWaitUs, charge, others, upTo }: Question,
    nowUs: number,
  ): readonly HotKey[] | undefined {
    const isPlain = charge === 'all-or-nothing' && others === undefined && upTo === undefined
    if (this.#keys.closed || !take || maxWaitUs > 0 || !isPlain) return undefined
    const keys: HotKey[] = new Array(checks.length)
    let at = 0
    for (const check of checks) {
      const key = isOwn(check) ? this.#keys.of(check) : undefined
      if (key === undefined) return undefined
      key.asked(check.cost, nowUs, this.#keys.aheadUs)
      keys[at++] = key
    }
    return keys
  }

  #fromHand(question: Question, keys: readonly HotKey[], nowUs: number): StoreRow[] | undefined {
    const { checks } = question
    void this.#keys.giveBack(keys, nowUs)
    if (allHave(question, keys, nowUs)) return this.#use(question, keys, nowUs)
    const refusal = refusalOf(question, keys, nowUs)
    // Too few units are in hand, and the question might miss them: they go back before the store decides.
    if (refusal === undefined)
      void this.#keys.giveBack(keys.filter((key, i) => key.units < (checks[i]?.cost ?? 0)))
    return refusal
  }

  #use({ checks }: Question, keys: readonly HotKey[], nowUs: number): StoreRow[] {
    this.#decisions++
    const rows: StoreRow[] = new Array(checks.length)
    for (let i = 0; i < checks.length; i++) {
      const check = checks[i]
      const key = keys[i]
      if (check === undefined || key === undefined) continue
      const row = key.use(check.cost, nowUs)
      if (row === undefined) continue
      rows[i] = row
      if (key.isLow(nowUs)) this.#taking.renew(key, check, nowUs)
      this.#keys.used(key)
    }
    return rows
  }

  /** Goes on once units that other questions have asked for have come, or have not. */
  #afterOthers(shortfall: Shortfall): StoreRows | Promise<StoreRows> {
    const { question, keys } = shortfall
    const nowUs = this.#keys.clock.nowUs()
    const known = this.#fromHand(question, keys, nowUs)
    if (known !== undefined) return known
    const isLate = this.#keys.closed || pendingOf(keys) !== undefined
    return isLate ? this.#taking.plainly(shortfall) : this.#taking.take(shortfall, nowUs)
  }

  /**
   * Answers a question for which nothing is taken ahead: a look, which says what a check would meet, or one that reserves, takes a part of
   * its cost, is decided in parts, or counts by other numbers.
   */
  #answerWithoutTaking(question: Question): StoreRows | Promise<StoreRows> {
    const keys = question.checks.map((check) => this.#keys.known(check))
    if (!keys.some((key) => key?.isBusy)) return askStore(this.#inner, question)
    const looking: Looking = { question, keys, request: this.#inner.begin() }
    const pending = pendingOf(keys)
    if (pending !== undefined) return pending.then(() => this.#seen(looking) ?? this.#look(looking))
    const seen = this.#seen(looking)
    return seen === undefined ? this.#look(looking) : unasked(seen)
  }

  /** The rows of a look that need not ask the store. */
  #seen({ question, keys }: Looking): StoreRow[] | undefined {
    const nowUs = this.#keys.clock.nowUs()
    const isPlain = question.upTo === undefined && question.checks.every(isOwn)
    // A question that takes as much as fits, or counts by other numbers, is to find in the store what is in hand here.
    void this.#keys.giveBack(keys, isPlain ? nowUs : undefined)
    if (question.take || !isPlain) return undefined
    const rows: StoreRow[] = []
    for (const [i, { cost }] of question.checks.entries()) {
      const row = keys[i]?.look(cost, nowUs)
      if (row === undefined) return refusalOf(question, keys, nowUs)
      rows.push(row)
    }
    return rows
  }

  #look({ question, keys, request }: Looking): StoreRows | Promise<StoreRows> {
    const counted = (rows: StoreRows | undefined) =>
      withInHand(rows ?? this.#inner.answerWithout(question), keys, this.#keys.clock.nowUs())
    const answer = ownAnswer(this.#inner, question, request)
    return isLater(answer) ? answer.then(counted) : counted(answer)
  }

  adjust(changes: readonly Change[]): Promise<void> {
    return this.#inner.adjust(changes)
  }

  manage(command: Command): Promise<unknown> {
    return this.#inner.manage(command)
  }

  /**
   * Called before an act: units that were taken until now, or that are under way, are not used after it. Returns a function to call when
   * the act is over.
   */
  async halt(checks: readonly Check[]): Promise<() => void> {
    const keys = checks.map((check) => this.#keys.ofActOn(check))
    for (const key of keys) key.actBegins()
    await this.#keys.empty(keys)
    return () => {
      for (const key of keys) key.actEnds()
    }
  }

  changed(checks: readonly Check[], act: Act): void {
    this.#inner.changed(checks, act)
    void this.halt(checks).then((resume) => resume())
  }

  /** Notes that units of these keys were given back, so that there may be room. */
  corrected(changes: readonly Change[]): void {
    for (const { check } of changes) this.#keys.known(check)?.forgive()
  }

  /** The units of one key in hand. Those that have ended are given back first, as the store still counts them. */
  inHandOf(check: Check): number {
    const key = this.#keys.known(check)
    const nowUs = this.#keys.clock.nowUs()
    void this.#keys.giveBack([key], nowUs)
    return key?.unitsAt(nowUs) ?? 0
  }

  health(): Health {
    return { ...this.#inner.health(), ahead: { inHand: this.#keys.units, decisions: this.#decisions } }
  }

  /** Gives back all that is in hand. The store inside stays open. */
  async close(): Promise<void> {
    await this.#keys.close()
    this.#closed(this)
  }
}

/** A question for which nothing is taken ahead, of keys of which some may be in hand. */
interface Looking extends Pick<Shortfall, 'question' | 'request'> {
  readonly keys: readonly (HotKey | undefined)[]
}

/** Whether a check counts by its limiter's numbers, and not by those of a changed limit, or of a policy that its call has chosen. */
function isOwn({ policy }: Check): boolean {
  return partsOf(policy).stated !== undefined
}

/** The row that is repeated for a key which has just been refused. */
function refusalOf({ checks }: Question, keys: Looking['keys'], nowUs: number): StoreRow[] | undefined {
  const refusal = checks.length === 1 && checks[0]?.cost !== 0 ? keys[0]?.refusal(nowUs) : undefined
  return refusal && [refusal]
}

function allHave({ checks }: Question, keys: readonly HotKey[], nowUs: number): boolean {
  for (let i = 0; i < checks.length; i++) {
    if (keys[i]?.has(checks[i]?.cost ?? 0, nowUs) !== true) return false
  }
  return true
}

function pendingOf(keys: Looking['keys']): Promise<unknown> | undefined {
  return keys.find((key) => key?.pending !== undefined)?.pending
}
