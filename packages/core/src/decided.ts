import { type Answered, bindingOf, longestWaitUs, shadowRefusalOf } from './binding.ts'
import type { Decision, PerPolicy, Refused, RefusedVerdict, Verdict } from './decision.ts'
import type { Key } from './key.ts'
import { costOf } from './per-policy.ts'
import type { Change, Check, Reason, Row, Rows } from './store.ts'
import { partsOf } from './strategies/definition.ts'
import { emptySummary, foldSummaries, type Summary, summaryOf } from './summary.ts'
import { msUp } from './units.ts'

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
}

export type NamedChange = Change & { readonly check: NamedCheck }

type Verdicts = { readonly [name: string]: Verdict }
export type Answer = Answered & { readonly check: NamedCheck }

function verdictOf({ check, row }: Answer): Verdict {
  const { name: policy, asked: key, cost } = check
  const { limit, remaining, reason } = row
  const resetAfterMs = msUp(row.resetAfterUs)
  if (reason === null)
    return { allowed: true, policy, key, cost, limit, remaining, resetAfterMs, reason, retryAfterMs: null }
  const retryAfterMs = row.retryAfterUs < 0 ? null : msUp(row.retryAfterUs)
  return { allowed: false, policy, key, cost, limit, remaining, resetAfterMs, reason, retryAfterMs }
}

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
  readonly waitMs: number = 0
  readonly #origin: Origin
  readonly #answers: readonly Answer[]
  #settled = false

  constructor(
    origin: Origin,
    verdict: Verdict,
    about: {
      answers: readonly Answer[]
      verdicts: Verdicts
      summary: Summary
      source: string
      shadow: RefusedVerdict | null
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
    this.#origin = origin
    this.#answers = about.answers
  }

  /** What the decision was made of, in configuration order. */
  get answers(): readonly Answer[] {
    return this.#answers
  }

  async settle(cost: PerPolicy<string, number>): Promise<void> {
    if (this.#settled) return
    this.#settled = true
    const changes: NamedChange[] = []
    for (const { check, row } of this.#answers) {
      const byUnits = unitsToSettle(check, row, costOf(cost, check.name, check.cost))
      if (byUnits !== 0) changes.push({ check, receipt: row.receipt, byUnits })
    }
    if (changes.length > 0) await this.#origin.correct(changes)
  }

  refund(): Promise<void> {
    return this.settle(0)
  }

  async release(): Promise<void> {}
}

/** The checks and rows behind a decision; none behind one that a Decider of somebody's own has made. */
export function answersBehind(decision: Decision): readonly Answer[] {
  return 'answers' in decision ? (decision as unknown as Decided).answers : [] // Decided alone has answers
}

/** What to correct: nothing where nothing was taken, where the cost is none, or where a request counts as one whatever it cost. */
function unitsToSettle({ cost, policy }: NamedCheck, { receipt }: Row, trueCost: number): number {
  if (receipt === '' || !Number.isInteger(trueCost) || trueCost < 0) return 0
  const byUnits = trueCost - cost
  return byUnits > 0 && partsOf(policy).definition.countsRequests === true ? 0 : byUnits
}

/** The decision that rows amount to. */
export function decisionOf(origin: Origin, checks: readonly NamedCheck[], rows: Rows): Decision {
  const source = rows.source ?? origin.storeName
  const [check] = checks
  const [row] = rows
  if (check !== undefined && row !== undefined && checks.length === 1) {
    const answer = { check, row }
    const verdict = verdictOf(answer)
    return asDecision(origin, check.shadow ? admitted(verdict) : verdict, {
      answers: [answer],
      verdicts: { [check.name]: verdict },
      summary: rows.summary ?? summaryOf(row),
      source,
      shadow: check.shadow && !verdict.allowed ? verdict : null,
    })
  }
  return foldedDecision(origin, pairUp(checks, rows), { summary: rows.summary, source })
}

function pairUp(checks: readonly NamedCheck[], rows: Rows): Answer[] {
  const answers: Answer[] = []
  for (const [i, check] of checks.entries()) {
    const row = rows[i]
    if (row !== undefined) answers.push({ check, row })
  }
  return answers
}

function foldedDecision(
  origin: Origin,
  answers: readonly Answer[],
  { summary, source }: { summary: Summary | undefined; source: string },
): Decision {
  const verdicts: { [name: string]: Verdict } = {}
  const summaries: Summary[] = []
  for (const answer of answers) {
    verdicts[answer.check.name] = verdictOf(answer)
    if (!answer.check.shadow) summaries.push(summaryOf(answer.row))
  }
  const binding = bindingOf(answers)
  if (binding === undefined) return unlimited(origin)
  // bindingOf and shadowRefusalOf answer one of the answers that they are given
  const bound = verdictOf(binding as Answer)
  const shadowed = shadowRefusalOf(answers)
  const shadow = shadowed === undefined ? null : asRefusal(verdictOf(shadowed as Answer))
  const verdict = binding.check.shadow ? admitted(bound) : bound
  return asDecision(origin, withLongestWait(verdict, answers), {
    answers,
    verdicts,
    summary: summary ?? foldSummaries(summaries),
    source,
    shadow,
  })
}

/** Refused: how long until the same request would pass every policy, which may be longer than the binding verdict's wait. */
function withLongestWait(verdict: Verdict, answers: readonly Answer[]): Verdict {
  if (verdict.allowed || verdict.retryAfterMs === null) return verdict
  const waitUs = longestWaitUs(answers)
  return waitUs < 0 ? { ...verdict, retryAfterMs: null } : { ...verdict, retryAfterMs: msUp(waitUs) }
}

function asRefusal(verdict: Verdict): RefusedVerdict | null {
  return verdict.allowed ? null : verdict
}

/** A shadow policy's verdict as a decision reads it where no other policy applies. */
function admitted(verdict: Verdict): Verdict {
  return verdict.allowed ? verdict : { ...verdict, allowed: true, reason: null, retryAfterMs: null }
}

function asDecision(
  origin: Origin,
  verdict: Verdict,
  about: ConstructorParameters<typeof Decided>[2],
): Decision {
  return new Decided(origin, verdict, about) as Decision // its fields are copied from a verdict, whose union it keeps
}

const nothing = { answers: [], verdicts: {}, source: 'none', shadow: null }

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
  const origin = { name: limiter, storeName: 'none', firstPolicy: policy, correct: async () => {} }
  const verdict: RefusedVerdict = {
    allowed: false,
    policy,
    key,
    cost: 1,
    limit: 0,
    remaining: 0,
    resetAfterMs: 0,
    reason: 'denied',
    retryAfterMs: null,
  }
  const summary: Summary = [1, 0, 0, -1, 0]
  return asDecision(origin, verdict, { ...nothing, verdicts: { [policy]: verdict }, summary }) as Refused // made of a refusal
}
