import type { Act } from '../act.ts'
import { type RowsInPlaces, restOf, withRest } from '../all-or-nothing.ts'
import type { Clock } from '../clock.ts'
import { copyOf } from '../line.ts'
import type { Keys } from '../memory/keys.ts'
import { lookAt, placeOf } from '../memory/look.ts'
import { MemoryStore } from '../memory/store.ts'
import { isBlock } from '../row.ts'
import { RandomMark } from '../runtime.ts'
import type {
  Change,
  Check,
  Command,
  HeldLease,
  InLine,
  LinePlace,
  Question,
  Renewal,
  StoreListener,
  StoreRow,
  StoreRows,
} from '../store.ts'
import type { Mixed } from '../strategies/mixed-rates.ts'
import {
  horizonUs,
  isInFlight,
  leaseUs,
  partsOf,
  spacingUs,
  startsEmpty,
} from '../strategies/policy-parts.ts'
import { unitsOf } from '../strategies/unit.ts'
import { fitting } from '../up-to.ts'
import { Charges, chargedUs } from './charges.ts'
import { onlyOne } from './guard-options.ts'
import { HeldKeys } from './held-keys.ts'
import { LatestActs } from './latest-acts.ts'
import { Refusals } from './refusals.ts'
import { Shares } from './shares.ts'
import { isKnown, noMoreThan, WholeLimits } from './whole-limits.ts'

/**
 * What this process knows of the store's counts: what the store has admitted to it, and which keys it has refused. So a fallback
 * starts warm, and what was counted in an outage is held against a key for a while after it.
 */
export class Mirror {
  readonly #memory: MemoryStore
  readonly #charges: Charges
  readonly #refusals: Refusals
  readonly #shares: Shares
  readonly #wholeLimits: WholeLimits
  readonly #clock: Clock
  readonly #maxKeys: number
  /** Made in the first outage: until then the store decides alone about all keys. */
  #heldKeys: HeldKeys | undefined
  readonly #latestActs = new LatestActs()

  constructor({ maxKeys, processes, clock }: { maxKeys: number; processes: () => number; clock: Clock }) {
    // Receipts bear a mark of this process: what is in flight when the store is back goes on there under the same receipt.
    // Memory keeps the state of a key while charges of it are noted, as these are counted on top of it, as of their own time.
    const isNoted = (id: string, key: string) => this.#charges.has(id, key)
    this.#memory = new MemoryStore(maxKeys, clock, new RandomMark(), isNoted)
    this.#charges = new Charges(maxKeys, (change, atUs, ofUnits) => this.#count(change, atUs, ofUnits))
    this.#refusals = new Refusals(maxKeys)
    this.#maxKeys = maxKeys
    this.#shares = new Shares(processes)
    this.#wholeLimits = new WholeLimits(maxKeys, processes !== onlyOne, { clock, isHeld: isNoted })
    this.#clock = clock
  }

  get keys(): number {
    let keys = this.#memory.keys.size
    for (const each of this.#charges) if (!this.#has(each)) keys++
    return keys
  }

  watch(listener: StoreListener): void {
    this.#memory.watch(listener)
  }

  /** Rows of a question in this process's memory; a key that the store has refused stays refused, and takes nothing. */
  answer(asked: Question): readonly StoreRow[] {
    const nowUs = this.#clock.nowUs()
    const question = fitting(asked, (check) => this.#refusals.mostFor(check, nowUs))
    const { maxWaitUs } = question
    const held = question.checks.map((check) => this.#refusals.rowFor(check, { nowUs, maxWaitUs }))
    const all = withRest(held, this.#ask(restOf(question, held), nowUs))
    const rows =
      maxWaitUs === 0 ? all : all.map((row, i) => this.#waitingAsStated(row, question.checks[i], nowUs))
    this.#wholeLimits.taken(question, rows, nowUs)
    return rows
  }

  /** No caller passes before the time at which the store said that the key would be free. */
  #waitingAsStated(row: StoreRow, check: Check | undefined, nowUs: number): StoreRow {
    if (!row.allowed || check === undefined) return row
    const waitUs = Math.max(row.waitUs, this.#refusals.waitUsFor(check, nowUs))
    if (waitUs > 0) this.noticeKeys([check], waitUs)
    const stated = { ...row, waitUs }
    const dueUs = chargedUs(check, stated, nowUs)
    // Units taken from a window count from when their caller goes on: other callers come behind it.
    if (row.receipt !== '' && waitUs > row.waitUs && dueUs > nowUs) {
      const share = this.#shares.shareOf(check)
      this.#memory.adjust([{ check: share, receipt: row.receipt, byUnits: -check.cost }])
      this.#memory.adjustAt({ check: share, receipt: null, byUnits: check.cost }, dueUs)
    }
    return stated
  }

  /** Notes that from here on the store may have lost what it had. */
  noticeOutage(): void {
    this.#held().noticeOutage(this.#clock.nowUs())
  }

  /** Holds these keys although the store is well: it does not know what is counted of them here, now or up to `inUs` from now. */
  noticeKeys(checks: readonly Check[], inUs = 0): void {
    const nowUs = this.#clock.nowUs()
    for (const check of checks) this.#held().hold(check, inUs, nowUs)
  }

  /**
   * Whether this process may object to an answer of the store. After an outage a key passes only if both the store and this process's
   * count by the whole limit allow it, until what was counted in the outage no longer matters. So a store that has lost nothing decides
   * alone about all keys that were not asked for meanwhile.
   */
  get objects(): boolean {
    return this.#heldKeys !== undefined
  }

  #held(): HeldKeys {
    this.#heldKeys ??= new HeldKeys(this.#maxKeys)
    return this.#heldKeys
  }

  /** This process's refusals and waits for keys that are held. undefined: the store decides alone. */
  objections({ checks, maxWaitUs }: Question): RowsInPlaces | undefined {
    const nowUs = this.#clock.nowUs()
    let objections: (StoreRow | undefined)[] | undefined
    for (const [i, check] of checks.entries()) {
      if (!this.#isHeld(check, nowUs)) continue
      const row = this.#own({ checks: [check], charge: 'all-or-nothing', maxWaitUs, take: false }, check)
      // Nothing is counted here, by any numbers: the store will know every unit that this key takes from now on.
      const isFree = row === undefined || (row.allowed && !isKnown(this.#keysFor(check), check, nowUs))
      if (isFree) this.#held().letGo(check, nowUs)
      else this.#held().holdOn(check, row, nowUs)
      if (row === undefined || (row.allowed && row.waitUs === 0)) continue
      objections ??= checks.map(() => undefined)
      objections[i] = row
    }
    return objections
  }

  /** Whether what was counted here in an outage is still held against the key. */
  #isHeld(check: Check, nowUs: number): boolean {
    return check.onStoreFailure === 'local' && this.#heldKeys?.isHeld(check, nowUs) === true
  }

  /**
   * The change that tells the store how long the next call has to wait for a key that is full here. `row` is this process's answer to a
   * caller that would wait for at most `maxWaitUs`. undefined: the store needs no change.
   */
  handOver(check: Check, row: StoreRow, maxWaitUs: number): Change | undefined {
    const { policy, cost } = check
    // A cost that never fits does not say how full the key is, nor does a block.
    if (!row.allowed && row.reason !== 'limited') return undefined
    if (partsOf(policy).definition.raise === undefined || this.#isMixed(check)) {
      if (row.allowed) this.noticeKeys([check], row.waitUs)
      return undefined
    }
    // The wait of a call of one unit, which is what the store understands.
    const unitUs = spacingUs(policy, 1)
    const inUs = row.allowed ? row.waitUs : row.retryAfterUs + maxWaitUs - spacingUs(policy, cost)
    const atLeastUs = inUs + unitUs
    const isFull = row.allowed || (atLeastUs > 0 && atLeastUs <= unitUs)
    return isFull ? { check, receipt: null, byUnits: 0, atLeastUs } : undefined
  }

  /** Whether this process also counts charges at other rates than the call's: the store can be told of only one. */
  #isMixed(check: Check): boolean {
    const place = placeOf(this.#keysFor(check), check, this.#clock.nowUs())
    const state: unknown = place.table.stateAt(place.slot, place.numbers, place.nowUs)
    const { mixed } = lookAt(place, state, 0) as { readonly mixed?: Mixed } // of a strategy with a rate
    return mixed?.others[0] !== undefined
  }

  /**
   * Notes that these changes are on their way to the store. Returns a function to call once the store has made them: from then on it
   * decides alone about the keys that were full here. Keys of which units are given back are held.
   */
  handingOver(changes: readonly Change[]): () => void {
    const held = this.#held()
    const sentUs = this.#clock.nowUs()
    const checks: Check[] = []
    for (const { check, byUnits, atLeastUs } of changes) {
      if (byUnits < 0) held.holdAgain(check, sentUs)
      if (atLeastUs !== undefined) checks.push(check)
    }
    const sent = held.noteSent(checks)
    return () => {
      for (const check of checks) held.letGo(check, sentUs, sent)
    }
  }

  /** Answers a check by all that this process has admitted. undefined: it knows nothing of the key. */
  #own(question: Question, check: Check): StoreRow | undefined {
    this.#charges.count(check)
    const whole = this.#isBlocked(check) ? undefined : this.#wholeLimits.of(check)
    // Of a key that it has never admitted, it cannot know that anything is too much.
    if (whole !== undefined && !isKnown(whole.keys, check, this.#clock.nowUs())) return undefined
    return (whole ?? this.#memory).answer(question)[0]
  }

  /** Where all that this process has admitted of the check's key is counted. */
  #keysFor(check: Check): Keys {
    const { keys } = this.#wholeLimits.of(check) ?? this.#memory
    return keys
  }

  #isBlocked(check: Check): boolean {
    return this.#memory.keys.tableOf(check).blocks.restUs(check.key, this.#clock.nowUs()) > 0
  }

  /** Reduces a question with `upTo` to the part of its cost to which this process does not object. */
  unobjected(question: Question): Question {
    return fitting(question, (check) => {
      if (!this.#isHeld(check, this.#clock.nowUs())) return check.cost
      return this.#own({ ...question, checks: [check], take: false }, check)?.taken ?? check.cost
    })
  }

  #ask(question: Question, nowUs: number): readonly StoreRow[] {
    const isWaiting = question.take && question.maxWaitUs > 0
    const checks = question.checks.map((check) => {
      this.#charges.count(check)
      const share = this.#shares.shareOf(check)
      if (isWaiting) this.#raiseAsStated(share, nowUs)
      return share
    })
    return this.#memory.answer({ ...question, checks })
  }

  /** Fills the bucket until the time at which, as the store said, the key has room again: so waiting callers pass one after another. */
  #raiseAsStated(check: Check, nowUs: number): void {
    const waitUs = this.#refusals.waitUsFor(check, nowUs)
    if (waitUs === 0) return
    const atLeastUs = waitUs - spacingUs(check.policy, check.cost) + spacingUs(check.policy, 1)
    this.#memory.adjust([{ check, receipt: null, byUnits: 0, atLeastUs }])
  }

  /** Goes up with each change that this process makes to a key. A question keeps that at which it was asked. */
  get moment(): number {
    return this.#refusals.moment
  }

  /**
   * The store has answered a question that was asked at that moment: what it took is charged here too, even beyond the limit. `isLate`: this
   * process had already decided, so what the store took is given back, and only its refusals are kept.
   */
  heard(question: Question, rows: StoreRows, moment: number, isLate?: boolean): void {
    // A repeated refusal was kept when the store made it.
    if (rows.asked === false && rows[0]?.allowed === false) return
    const { checks } = question
    const nowUs = this.#clock.nowUs()
    for (let i = 0; i < checks.length; i++) {
      const check = checks[i]
      const row = rows[i]
      if (check === undefined || row === undefined || check.onStoreFailure !== 'local') continue
      if (!row.allowed) this.#keepRefusal(question, { check, row, nowUs, moment })
      if (isLate === true) continue
      if (row.allowed && question.take && check.cost > 0) this.#refusals.drop(check)
      if (startsEmpty(check.policy)) this.#noteLeft(check, row, nowUs)
      else if (row.receipt !== '') this.#noteTaken(check, row, nowUs)
    }
  }

  /**
   * Keeps a refusal that is one of the key. For places in flight the time of the next one cannot be known, and a strategy with `refuse`
   * refuses one client of a key and not another; their blocks are kept.
   */
  #keepRefusal(
    { maxWaitUs }: Question,
    { check, row, ...at }: { check: Check; row: StoreRow; nowUs: number; moment: number },
  ): void {
    const { inFlight, definition, countsRequests } = partsOf(check.policy)
    const isOfKey = !inFlight && definition.refuse === undefined
    // Where a request of any cost is one, the refusal of a high cost holds for a low one too.
    const refused = countsRequests ? { ...check, cost: 1 } : check
    if (isOfKey || isBlock(row.reason)) this.#refusals.keep(refused, row, { ...at, maxWaitUs })
  }

  #noteTaken(check: Check, row: StoreRow, nowUs: number): void {
    const { inFlight, countsRequests } = partsOf(check.policy)
    const atUs = chargedUs(check, row, nowUs)
    // Callers that only the store knows of come before this one: nobody passes here before it does.
    if (row.waitUs > 0) this.#adjust({ check, receipt: null, byUnits: 0, atLeastUs: row.waitUs })
    if (inFlight) this.#adjust({ check, receipt: row.receipt, byUnits: check.cost })
    else if (countsRequests) this.#adjust({ check, receipt: null, byUnits: 1 })
    else if (atUs > nowUs) this.#adjust({ check, receipt: null, byUnits: check.cost }, atUs)
    else this.#charges.add(check, check.cost, nowUs)
  }

  /** For a key that would start empty here, notes all that the store has left, and not only what it took. */
  #noteLeft(check: Check, row: StoreRow, nowUs: number): void {
    if (isBlock(row.reason)) return
    noMoreThan(this.#memory.keys, this.#shares.shareOf(check), { row, nowUs })
    if (row.receipt !== '') this.#wholeLimits.takenFor(check, row, nowUs)
  }

  #count(change: Change, atUs: number, ofUnits: number): void {
    const share = this.#shares.shareOf(change.check)
    // Units reserved beyond the limit are remembered for proportionally longer, also where they were reserved in parts.
    const lifeUs = horizonUs(share.policy) * Math.max(1, ofUnits / partsOf(share.policy).units)
    if (this.#clock.nowUs() - atUs >= lifeUs && !this.#has(share)) return
    this.#change(change, atUs)
  }

  /** Changes both counts of the key; nothing of a blocked key changes. */
  #change(change: Change, atUs: number): void {
    const { check } = change
    if (!this.#isBlocked(check)) this.#wholeLimits.adjustAt(change, atUs)
    this.#memory.adjustAt({ ...change, check: this.#shares.shareOf(check) }, atUs)
  }

  /** Renews leases here as in the store. Those that are not counted here are held, as far as this process knows. */
  renew(held: readonly HeldLease[]): readonly Renewal[] {
    return held.map(({ check, receipt }) => {
      if (check.onStoreFailure !== 'local') return 'held'
      return this.#memory.renew([{ check: this.#shares.shareOf(check), receipt }])[0] ?? 'lost'
    })
  }

  line(callers: readonly InLine[]): readonly LinePlace[] {
    return this.#memory.line(
      callers.map((caller) => copyOf(caller, { check: this.#shares.shareOf(caller.check) })),
    )
  }

  /** Holds the keys whose leases the store has lost, or did not answer for, for the length of a lease: it does not know all of them. */
  heardRenewals(held: readonly HeldLease[], outcomes: readonly Renewal[] | undefined): void {
    const nowUs = this.#clock.nowUs()
    for (const [i, { check }] of held.entries()) {
      if ((outcomes?.[i] ?? 'lost') === 'lost') this.#held().holdUntil(check, nowUs + leaseUs(check), nowUs)
    }
  }

  /** Applies a correction here, whether or not it has reached the store. */
  correct(change: Change): void {
    if (change.check.onStoreFailure !== 'local') return
    const inFlight = isInFlight(change.check)
    // No refusal is kept for places in flight.
    if (change.byUnits < 0 && !inFlight) this.#refusals.forgive(change.check)
    if (change.byUnits < 0) this.#heldKeys?.holdAgain(change.check, this.#clock.nowUs())
    this.#adjust(inFlight ? change : { ...change, receipt: receiptHere(change.check) })
  }

  /** Applies changes to what this process's memory itself took. */
  adjustOwn(changes: readonly Change[]): void {
    for (const change of changes) this.#adjust(change)
  }

  #adjust(change: Change, atUs = this.#clock.nowUs()): void {
    this.#charges.count(change.check)
    this.#change(change, atUs)
  }

  /** Carries out a command given in this process. */
  manage(command: Command): void {
    this.#latestActs.note(command.check, this.#nowMs())
    this.#act(command)
  }

  #act(command: Command): void {
    const { op, check } = command
    if (op === 'unblock' || op === 'reset') this.#refusals.free(check)
    else if (op === 'set') this.#refusals.forgive(check)
    if (op === 'reset' || op === 'set') this.#charges.forget(check)
    else this.#charges.count(check)
    this.#wholeLimits.manage(command)
    this.#memory.manage(op === 'set' ? { ...command, check: this.#shares.shareOf(check) } : command)
  }

  /** Carries out an act of another process: what was counted here before it no longer holds. */
  changed(check: Check, act: Act): void {
    const command = commandOf(act, check)
    // An act dated in the future, by a clock that is ahead, counts as done now: it must not win over later acts.
    if (command !== undefined && this.#latestActs.note(check, Math.min(act.atMs, this.#nowMs())))
      this.#act(command)
  }

  /** The time as acts have it, in whole milliseconds. */
  #nowMs(): number {
    return Math.floor(this.#clock.nowUs() / 1000)
  }

  /** Whether the key has a state or a block here. */
  #has(check: Pick<Check, 'id' | 'key' | 'policy'>): boolean {
    return this.#memory.keys.tableOf(check).slotOf(check.key) >= 0
  }
}

/**
 * The receipt with which the memory here gives back units that the store took. A strategy that records the call of each unit has noted
 * those under no call, ''. For other strategies, null gives back whichever units the key has.
 */
function receiptHere({ policy }: Check): '' | null {
  const { definition, tellsCounts } = partsOf(policy)
  return tellsCounts && definition.wants?.includes('call') ? '' : null
}

/** The act as a command. undefined: an act on a list or a limit, or for another policy than this process has. */
function commandOf({ act: op, forMs = 0, units = 0 }: Act, check: Check): Command | undefined {
  if (op === 'block') return { op, check, us: forMs * 1000 }
  if (op === 'unblock' || op === 'reset') return { op, check }
  const used = unitsOf(units, partsOf(check.policy).scale)
  return op !== 'set' || Number.isNaN(used) ? undefined : { op, check, units: used }
}
