import type { Act } from '../act.ts'
import { restOf, withRest } from '../all-or-nothing.ts'
import type { Clock } from '../clock.ts'
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
import { horizonUs } from '../strategies/horizon.ts'
import { isInFlight, leaseUs, partsOf, startsEmpty } from '../strategies/policy-parts.ts'
import { spacingUs } from '../strategies/spacing.ts'
import { unitsOf } from '../strategies/unit.ts'
import { fitting } from '../up-to.ts'
import { Charges, chargedUs } from './charges.ts'
import { isKnown, noMoreThan } from './empty-buckets.ts'
import { onlyOne } from './guard-options.ts'
import { HeldKeys } from './held-keys.ts'
import { LatestActs } from './latest-acts.ts'
import { Refusals } from './refusals.ts'
import { Shares } from './shares.ts'
import { Wholes } from './wholes.ts'

/**
 * What this process knows of the store's counts: what the store has admitted to it, and which keys it has refused. So a fallback
 * starts warm, and what was counted in an outage is held against a key for a while after it.
 */
export class Mirror {
  readonly #memory: MemoryStore
  readonly #charges: Charges
  readonly #refusals: Refusals
  readonly #shares: Shares
  readonly #wholes: Wholes
  readonly #clock: Clock
  readonly #held: HeldKeys
  readonly #latestActs = new LatestActs()

  constructor({ maxKeys, processes, clock }: { maxKeys: number; processes: () => number; clock: Clock }) {
    // What is taken here and is still under way when the store is back goes there under the same receipt.
    // What it has of a key that is noted too stays: what is noted is counted on top of it, as of its own time.
    const isNoted = (id: string, key: string) => this.#charges.has(id, key)
    this.#memory = new MemoryStore(maxKeys, clock, new RandomMark(), isNoted)
    this.#charges = new Charges(maxKeys, (change, atUs, ofUnits) => this.#count(change, atUs, ofUnits))
    this.#refusals = new Refusals(maxKeys)
    this.#held = new HeldKeys(maxKeys)
    this.#shares = new Shares(processes)
    this.#wholes = new Wholes(maxKeys, processes !== onlyOne, { clock, isHeld: isNoted })
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
    this.#wholes.taken(question, rows, nowUs)
    return rows
  }

  /** No caller passes before the time at which the store said that the key would be free. */
  #waitingAsStated(row: StoreRow, check: Check | undefined, nowUs: number): StoreRow {
    if (!row.allowed || check === undefined) return row
    const waitUs = Math.max(row.waitUs, this.#refusals.waitUsFor(check, nowUs))
    if (waitUs > 0) this.noticeKeys([check], waitUs)
    const stated = { ...row, waitUs }
    const dueUs = chargedUs(check, stated, nowUs)
    // What was taken of a window counts from when its caller goes on: others come behind it.
    if (row.receipt !== '' && waitUs > row.waitUs && dueUs > nowUs) {
      const share = this.#shares.shareOf(check)
      this.#memory.adjust([{ check: share, receipt: row.receipt, byUnits: -check.cost }])
      this.#memory.adjustAt({ check: share, receipt: null, byUnits: check.cost }, dueUs)
    }
    return stated
  }

  /** From here on the store may have lost what it had. */
  noticeOutage(): void {
    this.#held.noticeOutage(this.#clock.nowUs())
  }

  /** The store is well, and does not know what was counted here of these keys, or will be in so long. */
  noticeKeys(checks: readonly Check[], inUs = 0): void {
    const nowUs = this.#clock.nowUs()
    for (const check of checks) this.#held.hold(check, inUs, nowUs)
  }

  /**
   * After an outage each policy passes only what both allow, until what was counted in it no longer matters: the store, and what this
   * process has admitted by the whole limit. So a store that has lost nothing decides alone of all keys that were not asked for meanwhile.
   */
  get objects(): boolean {
    return this.#held.mayHold
  }

  /** Refusals and waits of checks whose outage still matters, by their place; none where the store decides alone. */
  objections({ checks, maxWaitUs }: Question): ReadonlyMap<number, StoreRow> | undefined {
    const nowUs = this.#clock.nowUs()
    let objections: Map<number, StoreRow> | undefined
    for (const [i, check] of checks.entries()) {
      if (!this.#isHeld(check, nowUs)) continue
      const row = this.#own({ checks: [check], charge: 'all-or-nothing', maxWaitUs, take: false }, check)
      // Nothing is counted here: the store will know every unit that this key takes from now on.
      if (row === undefined || (row.allowed && row.resetAfterUs === 0)) this.#held.letGo(check, nowUs)
      else this.#held.holdOn(check, row, nowUs)
      if (row === undefined || (row.allowed && row.waitUs === 0)) continue
      objections ??= new Map<number, StoreRow>()
      objections.set(i, row)
    }
    return objections
  }

  /** Whether what was counted here in an outage is still held against the key. */
  #isHeld(check: Check, nowUs: number): boolean {
    return check.onStoreFailure === 'local' && this.#held.isHeld(check, nowUs)
  }

  /**
   * The change by which the store learns how long the next call of a key has to wait that is full here. `row` is this process's answer to
   * a caller that would wait that long. undefined: the store needs no change.
   */
  handOver(check: Check, row: StoreRow, maxWaitUs: number): Change | undefined {
    const { policy, cost } = check
    // A cost that never fits does not say how full the key is, nor does a block.
    if (!row.allowed && row.reason !== 'limited') return undefined
    if (partsOf(policy).definition.raise === undefined) {
      if (row.allowed) this.noticeKeys([check], row.waitUs)
      return undefined
    }
    // For a call of one unit, which is what the store understands.
    const unitUs = spacingUs(policy, 1)
    const inUs = row.allowed ? row.waitUs : row.retryAfterUs + maxWaitUs - spacingUs(policy, cost)
    const atLeastUs = inUs + unitUs
    const isFull = row.allowed || (atLeastUs > 0 && atLeastUs <= unitUs)
    return isFull ? { check, receipt: null, byUnits: 0, atLeastUs } : undefined
  }

  /**
   * Notes that these changes are on their way to the store. Returns a function to call once the store has made them: from then on it
   * decides alone about the keys that were full here.
   */
  handingOver(changes: readonly Change[]): () => void {
    const checks = changes.filter(({ atLeastUs }) => atLeastUs !== undefined).map(({ check }) => check)
    const [sent, sentUs] = [this.#held.noteSent(checks), this.#clock.nowUs()]
    return () => {
      for (const check of checks) this.#held.letGo(check, sentUs, sent)
    }
  }

  /** What a check of a question is answered by all that this process has admitted. */
  #own(question: Question, check: Check): StoreRow | undefined {
    this.#charges.count(check)
    const whole = this.#isBlocked(check) ? undefined : this.#wholes.of(check)
    // What it has not admitted, it does not know to be too much.
    if (whole !== undefined && !isKnown(whole.keys, check, this.#clock.nowUs())) return undefined
    return (whole ?? this.#memory).answer(question)[0]
  }

  #isBlocked(check: Check): boolean {
    return this.#memory.keys.tableOf(check).blocks.restUs(check.key, this.#clock.nowUs()) > 0
  }

  /** A question that takes a part of its cost, for no more than is not objected to. */
  unobjected(question: Question): Question {
    const nowUs = this.#clock.nowUs()
    return fitting(question, (check) => {
      if (!this.#isHeld(check, nowUs)) return check.cost
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

  /** The store said when the key has room again: the bucket is full until then, so several callers that wait pass one after another. */
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

  /** The store has answered a question that was asked at that moment: what it took is charged here too, even beyond the limit. */
  heard(question: Question, rows: StoreRows, moment: number): void {
    // A refusal that is said again was kept when the store made it.
    if (rows.asked === false && rows[0]?.allowed === false) return
    const { checks } = question
    const nowUs = this.#clock.nowUs()
    for (let i = 0; i < checks.length; i++) {
      const check = checks[i]
      const row = rows[i]
      if (check === undefined || row === undefined || check.onStoreFailure !== 'local') continue
      if (!row.allowed) this.#keepRefusal(question, { check, row, nowUs, moment })
      else if (question.take && check.cost > 0) this.#refusals.drop(check)
      if (startsEmpty(check.policy)) this.#noteLeft(check, row, nowUs)
      else if (row.receipt !== '') this.#noteTaken(check, row, nowUs)
    }
  }

  /** When a place in flight becomes free cannot be known, and of some keys one client is refused and not another. */
  #keepRefusal(
    { maxWaitUs }: Question,
    { check, row, ...at }: { check: Check; row: StoreRow; nowUs: number; moment: number },
  ): void {
    const { inFlight, definition } = partsOf(check.policy)
    const isOfKey = !inFlight && definition.refuse === undefined
    if (isOfKey || isBlock(row.reason)) this.#refusals.keep(check, row, { ...at, maxWaitUs })
  }

  #noteTaken(check: Check, row: StoreRow, nowUs: number): void {
    const { inFlight, countsRequests } = partsOf(check.policy)
    const atUs = chargedUs(check, row, nowUs)
    // Others of whom only the store knows come first: nobody passes before this caller.
    if (row.waitUs > 0) this.#adjust({ check, receipt: null, byUnits: 0, atLeastUs: row.waitUs })
    if (inFlight) this.#adjust({ check, receipt: row.receipt, byUnits: check.cost })
    else if (countsRequests) this.#adjust({ check, receipt: null, byUnits: 1 })
    else if (atUs > nowUs) this.#adjust({ check, receipt: null, byUnits: check.cost }, atUs)
    else this.#charges.add(check, check.cost, nowUs)
  }

  /** Of a key that would start empty here, all that the store has left is noted, and not only what it took. */
  #noteLeft(check: Check, row: StoreRow, nowUs: number): void {
    if (isBlock(row.reason)) return
    noMoreThan(this.#memory.keys, this.#shares.shareOf(check), { row, nowUs })
    if (row.receipt !== '') this.#wholes.takenFor(check, row, nowUs)
  }

  #count(change: Change, atUs: number, ofUnits: number): void {
    const share = this.#shares.shareOf(change.check)
    // What was reserved beyond the limit is remembered for as much longer, also where that came to it in parts.
    const lifeUs = horizonUs(share.policy) * Math.max(1, ofUnits / partsOf(share.policy).units)
    if (this.#clock.nowUs() - atUs >= lifeUs && !this.#has(share)) return
    this.#change(change, atUs)
  }

  /** Of a blocked key nothing changes. */
  #change(change: Change, atUs: number): void {
    const { check } = change
    if (!this.#isBlocked(check)) this.#wholes.adjustAt(change, atUs)
    this.#memory.adjustAt({ ...change, check: this.#shares.shareOf(check) }, atUs)
  }

  /** Renews leases here as in the store. Those that are not counted here are held, as far as this process knows. */
  renew(held: readonly HeldLease[]): readonly Renewal[] {
    return held.map(({ check, receipt }) => {
      if (check.onStoreFailure !== 'local') return 'held'
      return this.#memory.renew([{ check: this.#shares.shareOf(check), receipt }])[0] ?? 'lost'
    })
  }

  /** Callers in line in this process's memory. */
  line(callers: readonly InLine[]): readonly LinePlace[] {
    return this.#memory.line(
      callers.map((caller) => ({ ...caller, check: this.#shares.shareOf(caller.check) })),
    )
  }

  /** What the store has said of them, if anything: of a key that it does not know all of this process takes no more than it may. */
  heardRenewals(held: readonly HeldLease[], outcomes: readonly Renewal[] | undefined): void {
    const nowUs = this.#clock.nowUs()
    for (const [i, { check }] of held.entries()) {
      if ((outcomes?.[i] ?? 'lost') === 'lost') this.#held.holdUntil(check, nowUs + leaseUs(check), nowUs)
    }
  }

  /** A correction, whether or not it has reached the store. */
  correct(change: Change): void {
    if (change.check.onStoreFailure !== 'local') return
    const inFlight = isInFlight(change.check)
    // Of places in flight no refusal is known.
    if (change.byUnits < 0 && !inFlight) this.#refusals.forgive(change.check)
    this.#adjust(inFlight ? change : { ...change, receipt: receiptHere(change.check) })
  }

  /** A change to what the memory itself took. */
  adjustOwn(changes: readonly Change[]): void {
    for (const change of changes) this.#adjust(change)
  }

  #adjust(change: Change, atUs = this.#clock.nowUs()): void {
    this.#charges.count(change.check)
    this.#change(change, atUs)
  }

  /** What this process does by hand. */
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
    this.#wholes.manage(command)
    this.#memory.manage(op === 'set' ? { ...command, check: this.#shares.shareOf(check) } : command)
  }

  /** Another process has done this by hand: what was counted here before it no longer holds. */
  changed(check: Check, act: Act): void {
    const command = commandOf(act, check)
    // What a clock that is ahead says is done now: it must not outlast what others do next.
    if (command !== undefined && this.#latestActs.note(check, Math.min(act.atMs, this.#nowMs())))
      this.#act(command)
  }

  /** As acts say their time. */
  #nowMs(): number {
    return Math.floor(this.#clock.nowUs() / 1000)
  }

  /** true where the key has a state or a block here. */
  #has(check: Pick<Check, 'id' | 'key' | 'policy'>): boolean {
    return this.#memory.keys.tableOf(check).slotOf(check.key) >= 0
  }
}

/**
 * The receipt of units that the store took and this process has noted. Where units are told apart by their calls, noted ones have none:
 * the latest take may be the fallback's own. Elsewhere any units of the key will do.
 */
function receiptHere({ policy }: Check): '' | null {
  const { definition, tellsCounts } = partsOf(policy)
  return tellsCounts && definition.wants?.includes('call') ? '' : null
}

/** undefined: an act on a list or a limit, or for another policy than this process has. */
function commandOf({ act: op, forMs = 0, units = 0 }: Act, check: Check): Command | undefined {
  if (op === 'block') return { op, check, us: forMs * 1000 }
  if (op === 'unblock' || op === 'reset') return { op, check }
  const used = unitsOf(units, partsOf(check.policy).scale)
  return op !== 'set' || Number.isNaN(used) ? undefined : { op, check, units: used }
}
