import type { Act } from '../act.ts'
import { askStore } from '../ask-store.ts'
import { realClock } from '../clock.ts'
import type { GuardedStore } from '../resilience/guarded-store.ts'
import type { Change, Check, Command, Health, Question, Store, StoreRow, StoreRows } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { HotKey } from './hot-key.ts'
import { HotKeys } from './hot-keys.ts'
import { ownAnswer, type Source } from './own-answer.ts'
import { withInHand } from './rows.ts'
import { type Shortfall, Taking } from './taking.ts'

/** What a store of units ahead is around. */
export type Inner = Source &
  Pick<GuardedStore, 'name' | 'clock' | 'answer' | 'adjust' | 'manage' | 'changed' | 'health'>

/**
 * A store around a store, for one limiter: it answers from units that it has taken ahead. Each counts from when it was taken, and may
 * be used for the time of `ahead` after the take was sent; the policies are counted by numbers which hold for any instant in it. What
 * is not used by then is given back. A process that dies, hangs or misses a reply leaves units unused, never used twice.
 */
export class AheadStore implements Store {
  readonly name: string
  readonly #inner: Inner
  readonly #keys: HotKeys
  readonly #taking: Taking
  readonly #closed: (store: AheadStore) => void
  #decisions = 0

  /** `closed`: from then on nothing is taken. */
  constructor(inner: Inner, aheadUs: number, closed: (store: AheadStore) => void) {
    this.name = inner.name
    this.#inner = inner
    this.#keys = new HotKeys(inner, { aheadUs, clock: inner.clock ?? realClock })
    this.#taking = new Taking(inner, this.#keys)
    this.#closed = closed
  }

  /** At once where all that is asked for is in hand. */
  answer(question: Question): StoreRows | Promise<StoreRows> {
    const nowUs = this.#keys.clock.nowUs()
    const keys = this.#keysOf(question, nowUs)
    if (keys === undefined) return this.#answerWithoutTaking(question)
    const known = this.#fromHand(question, keys, nowUs)
    if (known !== undefined) return atOnce(known)
    const shortfall: Shortfall = { question, keys, request: this.#inner.begin() }
    const pending = pendingOf(keys)
    return pending === undefined
      ? this.#taking.take(shortfall, nowUs)
      : pending.then(() => this.#afterOthers(shortfall))
  }

  /** undefined: nothing is taken ahead for this question. */
  #keysOf(
    { checks, take, maxWaitUs, charge, others, upTo }: Question,
    nowUs: number,
  ): readonly HotKey[] | undefined {
    const isPlain = charge === 'all-or-nothing' && others === undefined && upTo === undefined
    if (this.#keys.closed || !take || maxWaitUs > 0 || !isPlain) return undefined
    const keys: HotKey[] = new Array(checks.length)
    let at = 0
    for (const check of checks) {
      const key = partsOf(check.policy).stated === undefined ? undefined : this.#keys.of(check)
      if (key === undefined) return undefined
      key.asked(check.cost, nowUs, this.#keys.aheadUs)
      keys[at++] = key
    }
    return keys
  }

  /** What this process knows without the store. */
  #fromHand(question: Question, keys: readonly HotKey[], nowUs: number): StoreRow[] | undefined {
    const { checks } = question
    void this.#keys.giveBack(keys, nowUs)
    if (allHave(question, keys, nowUs)) return this.#use(question, keys, nowUs)
    const refusal = refusalOf(question, keys, nowUs)
    // Too few, so that they might be missed: the store is to know of them when it decides.
    if (refusal === undefined)
      void this.#keys.giveBack(keys.filter((key, i) => key.units < (checks[i]?.cost ?? 0)))
    return refusal
  }

  #use({ checks }: Question, keys: readonly HotKey[], nowUs: number): StoreRow[] {
    this.#decisions++
    const rows: StoreRow[] = new Array(checks.length)
    for (let i = 0; i < checks.length; i++) {
      const key = keys[i]
      const row = key?.use(checks[i]?.cost ?? 0, nowUs)
      if (key === undefined || row === undefined) continue
      rows[i] = row
      if (key.isLow(nowUs)) this.#taking.renew(key, nowUs)
      this.#keys.used(key)
    }
    return rows
  }

  /** Units for others have come, or have not. */
  #afterOthers(shortfall: Shortfall): StoreRows | Promise<StoreRows> {
    const { question, keys } = shortfall
    const nowUs = this.#keys.clock.nowUs()
    const known = this.#fromHand(question, keys, nowUs)
    if (known !== undefined) return known
    const isLate = this.#keys.closed || pendingOf(keys) !== undefined
    return isLate ? this.#taking.plainly(shortfall) : this.#taking.take(shortfall, nowUs)
  }

  /** A look, which says what a check would meet; and what is reserved, takes a part of its cost, or is decided in parts. */
  #answerWithoutTaking(question: Question): StoreRows | Promise<StoreRows> {
    const keys = question.checks.map((check) => this.#keys.known(check))
    if (!keys.some((key) => key?.isBusy)) return askStore(this.#inner, question)
    const looking: Looking = { question, keys, request: this.#inner.begin() }
    const pending = pendingOf(keys)
    if (pending !== undefined) return pending.then(() => this.#seen(looking) ?? this.#look(looking))
    const seen = this.#seen(looking)
    return seen === undefined ? this.#look(looking) : atOnce(seen)
  }

  /** What a look meets that need not ask the store. */
  #seen({ question, keys }: Looking): StoreRow[] | undefined {
    const nowUs = this.#keys.clock.nowUs()
    // Who takes as much as fits finds in the store what is in hand here.
    void this.#keys.giveBack(keys, question.upTo === undefined ? nowUs : undefined)
    if (question.take) return undefined
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
    return answer instanceof Promise ? answer.then(counted) : counted(answer)
  }

  adjust(changes: readonly Change[]): Promise<void> {
    return this.#inner.adjust(changes)
  }

  manage(command: Command): Promise<unknown> {
    return this.#inner.manage(command)
  }

  /** Before an act: what was taken until now is not used after it, nor is what is under way. The answer is called when the act is over. */
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

  /** Somebody has given back units of these keys, so that there may be room. */
  corrected(changes: readonly Change[]): void {
    for (const { check } of changes) this.#keys.known(check)?.forgive()
  }

  /** Of one key, so that nothing has ended that the store counts. */
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

/** The row that is repeated of a key which has just been refused. */
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

/** Rows for which nobody has waited for the store. */
function atOnce(rows: StoreRow[] & { asked?: false }): StoreRows {
  rows.asked = false
  return rows
}

function pendingOf(keys: Looking['keys']): Promise<unknown> | undefined {
  return keys.find((key) => key?.pending !== undefined)?.pending
}
