import type { Decision, Reason, Verdict } from '@sluice/core'
import { decisions } from '@sluice/core/internal'
import { Bounded, type Room } from './bounded.ts'
import type { Labels, Sample } from './sink.ts'
import { ChangedUnits, Units } from './units.ts'

/** Records durations of decisions. */
export interface Timing {
  add(ms: number): void
}

/** Decisions of one policy from one source, by outcome. */
export type Outcomes = Record<'allowed' | Reason, number>

export class PolicyAccount {
  nearLimit = 0
  shadowRefusals = 0
  lostLeases = 0
  readonly sources: Bounded<Outcomes>
  /** Units of decisions that are in no group. */
  readonly #units: Units
  readonly #groups = new Map<string, Units>()
  readonly #rooms: Rooms

  constructor(rooms: Rooms, limiter: string, policy: string) {
    this.#units = new Units({ limiter, policy })
    this.#rooms = rooms
    this.sources = new Bounded(rooms.names, noOutcomes)
  }

  /** Units of decisions that are in groups, by the groups' names. */
  get groups(): ReadonlyMap<string, Units> {
    return this.#groups
  }

  /** The units of a group. Without room for one more group, those of the policy alone, so that no units are lost. */
  unitsOf(group: string): Units {
    if (group === '') return this.#units
    const known = this.#groups.get(group)
    if (known !== undefined) return known
    if (!this.#rooms.groups.take()) return this.#units
    const { limiter, policy } = this.#units.subject
    const units = new Units({ limiter, policy, group })
    this.#groups.set(group, units)
    return units
  }
}

export class LimiterAccount {
  /** Decisions made without the store. */
  withoutStore = 0
  readonly units: Units
  readonly policies: Bounded<PolicyAccount>
  /** Durations by source. */
  readonly timings: Bounded<Timing>

  constructor(limiter: string, { rooms, timing }: Pick<LedgerOptions, 'rooms' | 'timing'>) {
    this.units = new Units({ limiter })
    this.policies = new Bounded(rooms.names, (policy) => new PolicyAccount(rooms, limiter, policy))
    this.timings = new Bounded(rooms.names, (source) => timing({ limiter, source }))
  }
}

/**
 * The most names of limiters, and of their policies and sources: enough for ten thousand policies. Only a program that goes on
 * making names has more.
 */
export const maxNames = 50_000

/** The most kinds of request, over all policies, that have a metric of their own; further ones have none. */
export const maxKinds = 10_000

export interface Rooms {
  readonly names: Room
  readonly groups: Room
}

export interface LedgerOptions {
  readonly rooms: Rooms
  /** The used share of a limit from which an allowed decision counts as near it. */
  readonly nearLimit: number
  /** Creates the recorder of durations for one limiter and source. */
  timing(labels: Labels): Timing
}

interface Accounts {
  readonly limiter: LimiterAccount
  readonly binding: PolicyAccount
  readonly group: string
}

/**
 * Counts each decision once, for recorders and for metrics: units until they are taken out, decisions since the start. Series and
 * metrics get their numbers from here.
 */
export class Ledger {
  readonly limiters: Bounded<LimiterAccount>
  readonly #changed = new ChangedUnits()
  readonly #nearLimit: number
  /** Cached, because most decisions come from the limiter that decided last. */
  #latestName = ''
  #latest: LimiterAccount | undefined

  constructor(options: LedgerOptions) {
    this.limiters = new Bounded(options.rooms.names, (limiter) => new LimiterAccount(limiter, options))
    this.#nearLimit = options.nearLimit
  }

  /** `durationMs` 0: no store was asked. `group`: its units are counted separately within a policy; `''` for none. */
  add(decision: Decision, durationMs: number, group: string): void {
    const { allowed, cost, source } = decision
    const limiter = this.#limiter(decision.limiter)
    const binding = limiter.policies.of(decision.policy)
    if (durationMs > 0) limiter.timings.of(source).add(durationMs)
    binding.sources.of(source)[decision.reason ?? 'allowed']++
    const { units } = limiter
    if (allowed) units.admitted += cost
    else units.refused += cost
    if (isWithoutStore(decision)) {
      limiter.withoutStore++
      units.local += cost
    }
    this.#changed.add(units)
    // Most decisions are of one policy: no verdict has to be made for them.
    if (decisions.isOfOne(decision)) this.#addVerdict(decision, decision, { account: binding, group })
    else this.#addVerdicts(decision, { limiter, binding, group })
  }

  /** Adds units by which a charge was corrected. The group of its decision is no longer known. */
  correct({ limiter, policy, units }: { limiter: string; policy: string; units: number }): void {
    this.#addHits(this.limiters.of(limiter).policies.of(policy).unitsOf(''), units)
  }

  lost({ limiter, policy }: { limiter: string; policy: string }): void {
    this.limiters.of(limiter).policies.of(policy).lostLeases++
  }

  /** Appends the units that were counted since the last call, as of a second. */
  takeOut(second: number, to: Sample[]): void {
    this.#changed.takeOut(second, to)
  }

  #limiter(name: string): LimiterAccount {
    if (name !== this.#latestName || this.#latest === undefined) {
      this.#latestName = name
      this.#latest = this.limiters.of(name)
    }
    return this.#latest
  }

  #addVerdicts(decision: Decision, { limiter, binding, group }: Accounts): void {
    const { allowed, policy, shadow, verdicts } = decision
    if (shadow) limiter.policies.of(shadow.policy).shadowRefusals++
    let mayHaveCharged = false
    for (const name in verdicts) {
      const verdict = verdicts[name]
      if (verdict === undefined) continue
      const account = name === policy ? binding : limiter.policies.of(name)
      this.#addVerdict(decision, verdict, { account, group })
      if (verdict.allowed && !allowed && verdict.cost > 0) mayHaveCharged = true
    }
    if (mayHaveCharged) this.#addCharged(decision, limiter, group)
  }

  #addVerdict(
    { allowed, source }: Decision,
    verdict: Verdict,
    { account, group }: { account: PolicyAccount; group: string },
  ): void {
    // A decision without the store has numbers of this process alone, or none.
    const isCounted = allowed && source !== 'none' && source !== 'fallback'
    if (isCounted && verdict.allowed && isNear(verdict, this.#nearLimit)) account.nearLimit++
    if (verdict.cost === 0) return
    const units = account.unitsOf(group)
    // A request that a shadow policy would refuse passes, and so counts as both.
    if (!verdict.allowed) units.denied += verdict.cost
    if (allowed) units.hits += verdict.cost
    this.#changed.add(units)
  }

  #addHits(to: Units, units: number): void {
    to.hits += units
    this.#changed.add(to)
  }

  /** Counts units charged by a refused request: with `charge: 'every-level'`, policies that allow charge although another refuses. */
  #addCharged(decision: Decision, limiter: LimiterAccount, group: string): void {
    for (const { check, row, cost } of decisions.verdictsBehind(decision)) {
      if (!row.allowed || row.receipt === '' || cost === 0) continue
      const account = limiter.policies.of(check.lane.name)
      this.#addHits(account.unitsOf(group), cost)
    }
  }
}

/** Allows for rounding: 0.07 × 100 is a little more than 7. */
const rounding = 1e-9

/** A limit of 1 is reached at once, and so never counts as near. */
function isNear({ limit, remaining }: Verdict, share: number): boolean {
  return limit !== 1 && limit - remaining >= limit * share - rounding
}

function noOutcomes(): Outcomes {
  return { allowed: 0, limited: 0, blocked: 0, banned: 0, denied: 0, 'too-costly': 0, 'store-unavailable': 0 }
}

/** Refusals by a deny list, or because too many callers wait, need no store: they do not count. */
function isWithoutStore({ allowed, reason, source }: Decision): boolean {
  return source === 'fallback' || (source === 'none' && (allowed || reason === 'store-unavailable'))
}
