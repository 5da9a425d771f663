import type { Decision, PerPolicy, Refused, RefusedVerdict, Verdict } from '../decision.ts'
import type { Key } from '../key.ts'
import type { Change, Check, Reason, Row, Summary } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import { isInFlight } from '../strategies/in-flight.ts'
import type { Answered } from './binding.ts'
import { forPolicy } from './per-policy.ts'
import { emptySummary } from './summary.ts'

/** A check that knows how its caller speaks of it. */
export interface NamedCheck extends Check {
  /** The policy's name. */
  readonly name: string
  /** The same in header fields and problem details. */
  readonly wire: string
  /** The key as the caller gave it. */
  readonly asked: Key
}

/** What a decision needs of the limiter that made it. */
export interface Origin {
  readonly name: string
  /** The source of decisions that the store itself has made. */
  readonly storeName: string
  /** What a decision without a verdict reads as. */
  readonly firstPolicy: string
  /** Brings corrections to the store; never rejects. */
  correct(changes: readonly NamedChange[]): Promise<void>
  /** Frees what is under way; never rejects. */
  free(answers: readonly Answer[]): Promise<void>
  /** Renews what is under way until it is freed or lapses. */
  keep(answers: readonly Answer[]): void
  /** Renews it no longer. */
  lapse(answers: readonly Answer[]): void
}

export type NamedChange = Change & { readonly check: NamedCheck }

type Verdicts = { readonly [name: string]: Verdict }
export type Answer = Answered & { readonly check: NamedCheck }

/** A decision: its binding verdict and the answers behind it. */
class Decided {
  readonly allowed: boolean
  readonly policy: string
  readonly key: Key
  readonly cost: number
  readonly limit: number
  readonly remaining: number
  readonly resetAfterMs: number
  readonly reason: Reason | null
  readonly retryAfterMs: number | null
  readonly limiter: string
  readonly verdicts: Verdicts
  readonly summary: Summary
  readonly source: string
  readonly shadow: RefusedVerdict | null
  readonly waitMs: number
  readonly #origin: Origin
  readonly #answers: readonly Answer[]
  #settled = false
  #released = false
  #client: Client | undefined
  #signal: AbortSignal | undefined

  constructor(
    origin: Origin,
    verdict: Verdict,
    about: {
      answers: readonly Answer[]
      verdicts: Verdicts
      summary: Summary
      source: string
      shadow: RefusedVerdict | null
      waitMs: number
    },
  ) {
    this.allowed = verdict.allowed
    this.policy = verdict.policy
    this.key = verdict.key
    this.cost = verdict.cost
    this.limit = verdict.limit
    this.remaining = verdict.remaining
    this.resetAfterMs = verdict.resetAfterMs
    this.reason = verdict.reason
    this.retryAfterMs = verdict.retryAfterMs
    this.limiter = origin.name
    this.verdicts = about.verdicts
    this.summary = about.summary
    this.source = about.source
    this.shadow = about.shadow
    this.waitMs = about.waitMs
    this.#origin = origin
    this.#answers = about.answers
  }

  /** What the decision was made of, in configuration order. */
  get answers(): readonly Answer[] {
    return this.#answers
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#client?.signal ?? new AbortController().signal
    return this.#signal
  }

  /** The client of the request that was decided. */
  set client(client: Client) {
    this.#client = client
  }

  async settle(cost: PerPolicy<string, number>): Promise<void> {
    if (this.#settled) return
    this.#settled = true
    const changes: NamedChange[] = []
    for (const { check, row } of this.#answers) {
      const byUnits = unitsToSettle(check, row, forPolicy(cost, check.name, check.cost))
      if (byUnits !== 0) changes.push({ check, receipt: row.receipt, byUnits })
    }
    if (changes.length > 0) await this.#origin.correct(changes)
  }

  refund(): Promise<void> {
    return this.settle(0)
  }

  /** Of a reservation: the store gives back only what no later call has built upon. */
  cancel(): Promise<void> {
    return this.settle(0)
  }

  async release(): Promise<void> {
    if (this.#released) return
    this.#released = true
    const held = this.#answers.filter(holdsLease)
    if (held.length > 0) await this.#origin.free(held)
  }

  keep(): void {
    if (!this.#released) this.#origin.keep(this.#answers.filter(holdsLease))
  }

  lapse(): void {
    if (!this.#released) this.#origin.lapse(this.#answers.filter(holdsLease))
  }
}

/** Says when a client has gone. */
export interface Client {
  readonly signal: AbortSignal
}

/** true for what was taken for as long as its request is under way. */
export function holdsLease({ check, row }: Answered): boolean {
  return row.receipt !== '' && isInFlight(check)
}

/** A decision of our own; undefined for one that a user's own Decider made. */
function ownOf(decision: Decision): Decided | undefined {
  return 'answers' in decision ? (decision as unknown as Decided) : undefined // Decided alone has answers
}

/** The checks and rows behind a decision; none behind one that a user's own Decider made. */
export function answersBehind(decision: Decision): readonly Answer[] {
  return ownOf(decision)?.answers ?? []
}

/** Gives a decision its client: its `signal` is aborted when that has gone. */
export function giveClient(decision: Decision, client: Client): void {
  const own = ownOf(decision)
  if (own !== undefined) own.client = client
}

/** What a decision holds in flight is renewed until it is released. */
export function keepLeases(decision: Decision): void {
  ownOf(decision)?.keep()
}

/** What it holds ends with its leases, unless it is released before. */
export function lapseLeases(decision: Decision): void {
  ownOf(decision)?.lapse()
}

/**
 * What to correct: nothing where nothing was taken, where the cost is none, where a request counts as one whatever it cost, or while
 * it is under way.
 */
function unitsToSettle(check: NamedCheck, { receipt }: Row, trueCost: number): number {
  if (receipt === '' || !Number.isInteger(trueCost) || trueCost < 0 || isInFlight(check)) return 0
  const byUnits = trueCost - check.cost
  return byUnits > 0 && partsOf(check.policy).definition.countsRequests === true ? 0 : byUnits
}

/** A verdict and what stands behind it as a decision. */
export function asDecision(
  origin: Origin,
  verdict: Verdict,
  about: ConstructorParameters<typeof Decided>[2],
): Decision {
  return new Decided(origin, verdict, about) as Decision // its fields are copied from a verdict, whose union it keeps
}

const nothing = { answers: [], verdicts: {}, source: 'none', shadow: null, waitMs: 0 }

/** Nothing to check: allowed, and no number is known. */
export function unlimited(origin: Origin): Decision {
  const verdict: Verdict = {
    allowed: true,
    policy: origin.firstPolicy,
    key: '',
    cost: 0,
    limit: Number.POSITIVE_INFINITY,
    remaining: Number.POSITIVE_INFINITY,
    resetAfterMs: 0,
    reason: null,
    retryAfterMs: null,
  }
  return asDecision(origin, verdict, { ...nothing, summary: emptySummary })
}

/** Refused without a count: a deny list, a level that denies. */
export function denied(limiter: string, policy: string, key: Key): Refused {
  return refusedUncounted(limiter, policy, { key, reason: 'denied', retryAfterMs: null })
}

/** The origin of a decision behind which there is nothing to correct. */
const uncounted = {
  storeName: 'none',
  correct: async () => {},
  free: async () => {},
  keep: () => {},
  lapse: () => {},
}

/** A refusal behind which no count stands. */
export function refusedUncounted(
  limiter: string,
  policy: string,
  { key, reason, retryAfterMs }: Pick<RefusedVerdict, 'key' | 'reason' | 'retryAfterMs'>,
): Refused {
  const origin = { ...uncounted, name: limiter, firstPolicy: policy }
  const numbers = { limit: 0, remaining: 0, resetAfterMs: 0, retryAfterMs }
  const verdict: RefusedVerdict = { allowed: false, policy, key, cost: 1, reason, ...numbers }
  const summary: Summary = [1, 0, 0, retryAfterMs === null ? -1 : Math.floor(retryAfterMs / 1000), 0]
  return asDecision(origin, verdict, { ...nothing, verdicts: { [policy]: verdict }, summary }) as Refused // made of a refusal
}
