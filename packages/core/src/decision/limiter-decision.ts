import type { Key } from '../key.ts'
import { makeRow } from '../row.ts'
import { inspected } from '../runtime.ts'
import type { Change, Reason, StoreRow, StoreRows, Summary, Warning } from '../store.ts'
import { isInFlight, partsOf, scaleOf } from '../strategies/policy-parts.ts'
import { readAmount } from '../strategies/unit.ts'
import { msUp } from '../units.ts'
import {
  type Answered,
  type BindingRank,
  bindingPlace,
  bindsMore,
  furtherRequests,
  longestWaitUs,
  reservedWaitUs,
  shadowRefusalPlace,
} from './binding.ts'
import type { Decision, PerPolicy, Refused } from './decision.ts'
import { isShown, type LaneCheck, type PlainLane, plainCheckOf } from './lane.ts'
import { forPolicy, setMember } from './per-policy.ts'
import { emptySummary, foldSummaries, summaryOf } from './summary.ts'
import { type AskedKey, PolicyVerdict, VerdictFields } from './verdict.ts'

/** What a decision needs of the limiter that made it. */
export interface Origin {
  readonly name: string
  /** The source of decisions that the store itself has made. */
  readonly storeName: string
  /** The policy that a decision without a verdict names. */
  readonly firstPolicy: string
  /** By the store's clock, where it has one. */
  nowUs(): number
  /** Brings corrections to the store; never rejects. */
  correct(changes: readonly LaneChange[]): Promise<void>
  /** Gives leases back; never rejects. */
  free(leases: readonly PolicyVerdict[]): Promise<void> | undefined
  /** Renews leases until they are freed or lapse. */
  keep(leases: readonly PolicyVerdict[]): void
  /** Renews leases no longer. */
  lapse(leases: readonly PolicyVerdict[]): void
  warned(warning: Warning): void
}

export type LaneChange = Change & { readonly check: LaneCheck }

/** A client, whose signal is aborted when it has gone. */
type HasSignal = Pick<AbortController, 'signal'>

/** The answers to one question, and the place of the one that binds; -1: nothing was asked. */
interface Several extends Answered {
  readonly rows: StoreRows
  readonly place: number
}

/** The same, with the policy, key and cost of the binding check, which the decision reads as. */
interface Folded extends Several, AskedKey {
  /** What has answered, if not the store itself: 'fallback', 'none'. */
  readonly source: string | undefined
}

/** What stands behind a decision for which no store was asked. */
const nothing: Several & { readonly source: string } = { checks: [], rows: [], place: -1, source: 'none' }

/** Members of a decision that few callers need: the object is made when the first of them is needed, and by a constructor (lane.ts). */
class Late {
  declare list?: readonly PolicyVerdict[]
  declare verdicts?: { readonly [name: string]: VerdictFields }
  declare settled?: true
  declare released?: true
  declare client?: HasSignal
}

/**
 * A limiter's decision: it reads as its binding verdict. What few callers read is made when it is read. Not derived from VerdictFields,
 * as V8 would not always inline its constructor then.
 */
class LimiterDecision implements VerdictFields {
  declare readonly allowed: boolean
  declare readonly policy: string
  declare readonly key: Key
  declare cost: number
  declare limit: number
  declare remaining: number
  declare readonly resetAfterMs: number
  declare readonly reason: Reason | null
  declare readonly retryAfterMs: number | null
  declare readonly limiter: string
  declare source: string
  declare waitMs: number
  readonly #origin: Origin
  readonly #row: StoreRow
  readonly #behind: LaneCheck | Folded | PlainLane
  #late: Late | undefined

  /**
   * Sets the fields for a cost of 1, without a wait, answered by the store itself: `made` sets what differs. `row`: the binding one, as
   * the decision reads it. `behind`: only the lane if the question was its plain check, which is then made when it is needed. Five
   * arguments, as an object of them would be one more object for each check.
   */
  constructor(
    origin: Origin,
    row: StoreRow,
    behind: LaneCheck | Folded | PlainLane,
    policy: string,
    key: Key,
  ) {
    const { reason, retryAfterUs } = row
    this.allowed = reason === null
    this.policy = policy
    this.key = key
    this.cost = 1
    this.limit = row.limit
    this.remaining = row.remaining
    this.resetAfterMs = msUp(row.resetAfterUs)
    this.reason = reason
    this.retryAfterMs = reason === null || retryAfterUs < 0 ? null : msUp(retryAfterUs)
    this.limiter = origin.name
    this.source = origin.storeName
    this.waitMs = 0
    this.#origin = origin
    this.#row = row
    this.#behind = behind
  }

  /** The check behind the decision. A lane's plain check is made anew each time, as few callers need it. */
  get #asked(): LaneCheck | Folded {
    const behind = this.#behind
    return 'asked' in behind ? behind : plainCheckOf(behind, behind.policy, this.key)
  }

  /** For the functions below: they hold what only HTTP requests need, so that a bundle without HTTP leaves it out. */
  get more(): Late {
    this.#late ??= new Late()
    return this.#late
  }

  get origin(): Origin {
    return this.#origin
  }

  get isOfOne(): boolean {
    return !('checks' in this.#behind)
  }

  get answered(): Several {
    const behind = this.#asked
    return 'checks' in behind ? behind : { checks: [behind], rows: [this.#row], place: 0 }
  }

  /** What each policy says, in configuration order. */
  get list(): readonly PolicyVerdict[] {
    const { more } = this
    if (more.list !== undefined) return more.list
    const { checks, rows } = this.answered
    const list: PolicyVerdict[] = []
    for (let i = 0; i < checks.length; i++) {
      const check = checks[i]
      const row = rows[i]
      if (check !== undefined && row !== undefined) list.push(new PolicyVerdict(check, row))
    }
    more.list = list
    return list
  }

  /** How many units a decision of `take: 'up-to'` has taken. */
  get taken(): number {
    return this.allowed ? this.cost : 0
  }

  get verdicts(): { readonly [name: string]: VerdictFields } {
    const { more, list } = this
    if (more.verdicts !== undefined) return more.verdicts
    const verdicts: { [name: string]: VerdictFields } = {}
    for (const verdict of list) setMember(verdicts, verdict.policy, verdict)
    // A deny list asks no policy, and refuses all the same.
    if (list.length === 0 && !this.allowed)
      setMember(verdicts, this.policy, new VerdictFields(this.#asked, this.#row))
    more.verdicts = verdicts
    return verdicts
  }

  get summary(): Summary {
    const { checks, rows, place } = this.answered
    // A script folds rows in units: that is their summary only if a unit is an amount of 1.
    if (rows.summary !== undefined && checks.every((check) => scaleOf(check) === 1)) return rows.summary
    const bound = rows[place]
    if (bound === undefined) return this.allowed ? emptySummary : summaryOf(this.#row)
    const binding = this.list.filter(({ check }) => !check.shadow)
    return binding.length === 0
      ? summaryOf({ ...bound, allowed: true }, scaleOf(this.#behind))
      : foldSummaries(binding.map(({ check, row }) => summaryOf(row, scaleOf(check))))
  }

  get shadow(): VerdictFields | null {
    const { checks, rows } = this.answered
    const place = shadowRefusalPlace({ checks, rows })
    const [check, row] = [checks[place], rows[place]]
    return check === undefined || row === undefined ? null : new PolicyVerdict(check, row)
  }

  get signal(): AbortSignal {
    const { more } = this
    more.client ??= new AbortController()
    return more.client.signal
  }

  async settle(cost: PerPolicy<string, number>): Promise<void> {
    const { more } = this
    if (more.settled) return
    const changes: LaneChange[] = []
    try {
      for (const { check, row } of this.list) {
        const scale = scaleOf(check)
        const amount = forPolicy(cost, check.lane.name, check.cost / scale)
        const byUnits = unitsToSettle(check, row, readAmount(amount, 'settle', scale))
        if (byUnits !== 0) changes.push({ check, receipt: row.receipt, byUnits })
      }
    } catch (thrown) {
      // A value that is no cost settles nothing. A getter of the caller's object may throw anything, not only an Error.
      this.#origin.warned({
        code: 'SLUICE_SETTLE_FAILED',
        message: `the charge stays: ${Object(thrown).message}`,
      })
      return
    }
    more.settled = true
    if (changes.length > 0) await this.#origin.correct(changes)
  }

  refund(): Promise<void> {
    return this.settle(0)
  }

  /** Cancels a reservation: the store gives back only what no later call has built upon. */
  cancel(): Promise<void> {
    return this.settle(0)
  }

  async release(): Promise<void> {
    const { more } = this
    if (more.released) return
    more.released = true
    await this.#origin.free(this.leases)
  }

  get leases(): readonly PolicyVerdict[] {
    return this.list.filter(({ check, row }) => holdsLease(check, row))
  }

  /** Includes these getters, so that a log shows them. */
  toJSON(): object {
    return { ...this, verdicts: this.verdicts, summary: this.summary, shadow: this.shadow }
  }

  [inspected](): object {
    return this.toJSON()
  }
}

/** Whether the check has taken a place in flight, which its request holds until it is over. */
export function holdsLease(check: LaneCheck, { receipt }: StoreRow): boolean {
  return receipt !== '' && isInFlight(check)
}

/**
 * By how many units to correct the charge: 0 if nothing was taken, if it is a place in flight, or if the true cost is higher but the
 * policy counts each request as one.
 */
function unitsToSettle({ policy, cost }: LaneCheck, { receipt }: StoreRow, trueCost: number): number {
  const { inFlight, countsRequests } = partsOf(policy)
  if (receipt === '' || inFlight) return 0
  const byUnits = trueCost - cost
  return byUnits > 0 && countsRequests ? 0 : byUnits
}

/** A decision of our own; undefined for one that a user's own Decider made. */
function ownOf(decision: Decision): LimiterDecision | undefined {
  return 'list' in decision ? (decision as unknown as LimiterDecision) : undefined // it alone has a list
}

/** Whether one policy was asked, and not in shadow: then the decision is its only verdict. */
export function isOfOne(decision: Decision): boolean {
  return ownOf(decision)?.isOfOne === true
}

/** The verdicts behind a decision, in configuration order; none behind one that a user's own Decider made. */
export function verdictsBehind(decision: Decision): readonly PolicyVerdict[] {
  return ownOf(decision)?.list ?? []
}

/** The time by the clock of a decision's store; 0 of one that a user's own Decider made. */
export function nowUsBy(decision: Decision): number {
  return ownOf(decision)?.origin.nowUs() ?? 0
}

/** Whether the decision's own numbers may be shown to a client. */
export function isDecisionShown(decision: Decision): boolean {
  const own = ownOf(decision)
  if (own !== undefined) return isOwnShown(own)
  return decision.source !== 'none' && Object.keys(decision.verdicts).length > 0
}

function isOwnShown({ source, answered: { checks, rows, place } }: LimiterDecision): boolean {
  const check = checks[place]
  const row = rows[place]
  return source !== 'none' && check !== undefined && row !== undefined && isShown(check, row)
}

/** How much a decision binds beside those of other limiters. */
function rankOf(decision: Decision): BindingRank {
  const { checks, place } = ownOf(decision)?.answered ?? nothing
  const check = checks[place]
  const shown = isDecisionShown(decision)
  const { allowed, remaining, cost, retryAfterMs } = decision
  const countsRequests = check !== undefined && partsOf(check.policy).countsRequests
  return {
    allowed,
    waitUs: retryAfterMs === null ? Number.POSITIVE_INFINITY : retryAfterMs * 1000,
    further: shown ? furtherRequests(remaining, cost, countsRequests) : Number.POSITIVE_INFINITY,
    windowMs: check?.policy.windowMs ?? 0,
  }
}

export function decisionBindsMore(later: Decision, earlier: Decision): boolean {
  return bindsMore(rankOf(later), rankOf(earlier))
}

/** Whether the decision holds places in flight, which are to be freed when its request is over. */
export function holdsLeases(decision: Decision): boolean {
  return (ownOf(decision)?.leases.length ?? 0) > 0
}

/** Gives a decision its client: the decision's `signal` is aborted when the client has gone. */
export function giveClient(decision: Decision, client: HasSignal): void {
  const own = ownOf(decision)
  if (own !== undefined) own.more.client = client
}

/** Renews the leases of a decision until it is released. */
export function keepLeases(decision: Decision): void {
  const own = ownOf(decision)
  if (own?.more.released === undefined) own?.origin.keep(own.leases)
}

/** Stops renewing the leases of a decision: each then ends when it has run out, unless it is released before. */
export function lapseLeases(decision: Decision): void {
  const own = ownOf(decision)
  if (own?.more.released === undefined) own?.origin.lapse(own.leases)
}

/** The decision of a check of the lane's own policy, for a cost of 1. */
export function plainDecision(origin: Origin, row: StoreRow, lane: PlainLane, key: Key): Decision {
  return new LimiterDecision(origin, row, lane, lane.name, key) as unknown as Decision // as `made`
}

export function decisionOf(origin: Origin, checks: readonly LaneCheck[], rows: StoreRows): Decision {
  const check = checks[0]
  const row = rows[0]
  const isPlain = checks.length === 1 && rows.source === undefined
  if (isPlain && check !== undefined && row !== undefined && !check.shadow) return made(origin, check, row)
  return foldedDecision(origin, checks, rows)
}

function foldedDecision(origin: Origin, checks: readonly LaneCheck[], rows: StoreRows): Decision {
  const place = bindingPlace({ checks, rows })
  const check = checks[place]
  const row = rows[place]
  if (check === undefined || row === undefined) return unlimited(origin)
  const { lane, asked, cost, policy } = check
  const behind = { lane, asked, cost, policy, checks, rows, place, source: rows.source }
  return made(origin, behind, asBound(row, behind))
}

/** The binding row as the decision reads it. */
function asBound(row: StoreRow, answered: Several): StoreRow {
  const { checks, place } = answered
  const waitUs = reservedWaitUs(answered)
  // The row is a shadow policy's if no other policy applies: it lets the request pass.
  if (checks[place]?.shadow === true) return { ...row, allowed: true, reason: null, waitUs }
  // Until the same request would pass every policy, which may be longer than the binding one's own wait.
  const retryAfterUs = row.allowed || row.retryAfterUs < 0 ? row.retryAfterUs : longestWaitUs(answered)
  const isSame = retryAfterUs === row.retryAfterUs && waitUs === row.waitUs
  return isSame ? row : { ...row, retryAfterUs, waitUs }
}

function made(
  origin: Origin,
  behind: (LaneCheck & { readonly source?: undefined }) | Folded,
  row: StoreRow,
): Decision {
  const decision = new LimiterDecision(origin, row, behind, behind.lane.name, behind.asked)
  const scale = scaleOf(behind)
  decision.cost = behind.cost / scale
  if (scale > 1) {
    decision.limit /= scale
    decision.remaining /= scale
  }
  decision.source = behind.source ?? origin.storeName
  decision.waitMs = msUp(row.waitUs)
  return decision as unknown as Decision // its facts are those of one row, so reason and time agree with `allowed`
}

/** Nothing to check: allowed, and no number is known. */
export function unlimited(origin: Origin): Decision {
  const endless = Number.POSITIVE_INFINITY
  const numbers = { limit: endless, remaining: endless, retryAfterUs: null, resetAfterUs: 0 }
  const behind = { ...nothing, lane: { name: origin.firstPolicy }, asked: '', cost: 0 }
  return made(origin, behind, makeRow(numbers, null, ''))
}

/** Why a key is refused without a count. */
export interface UncountedRefusal {
  readonly reason: Reason
  readonly retryAfterMs: number | null
}

/** The refusal by a deny list, or by a level that denies. */
export const denied: UncountedRefusal = { reason: 'denied', retryAfterMs: null }

async function idle(): Promise<void> {}

/** The origin of a decision behind which there is nothing to correct. */
const uncounted = {
  storeName: 'none',
  nowUs: () => 0,
  correct: idle,
  free: idle,
  keep: idle,
  lapse: idle,
  warned: idle,
}

/** A refusal behind which no count stands. */
export function refusedUncounted(
  limiter: string,
  policy: string,
  { key, reason, retryAfterMs }: UncountedRefusal & { readonly key: Key },
): Refused {
  const origin = { ...uncounted, name: limiter, firstPolicy: policy }
  const retryAfterUs = retryAfterMs === null ? null : retryAfterMs * 1000
  const row = makeRow({ limit: 0, remaining: 0, retryAfterUs, resetAfterUs: 0 }, reason, '')
  const behind = { ...nothing, lane: { name: policy }, asked: key, cost: 1 }
  return made(origin, behind, row) as Refused // made of a refusal
}
