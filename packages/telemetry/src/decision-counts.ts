import type { Decision, Reason } from '@sluice/core'
import { Bounded, type Room } from './bounded.ts'
import type { Labels } from './sink.ts'
import type { Value } from './values.ts'

/** Takes how long decisions took. */
export interface Timing {
  add(ms: number): void
}

/** Limiters, and of each its policies and sources. */
const mostNames = 3000

type Outcomes = Record<'allowed' | Reason, number>

class PolicyCounts {
  near = 0
  shadowRefusals = 0
  lostLeases = 0
  readonly sources: Bounded<Outcomes>

  constructor(room: Room) {
    this.sources = new Bounded(room, () => ({
      allowed: 0,
      limited: 0,
      blocked: 0,
      denied: 0,
      'too-costly': 0,
      'store-unavailable': 0,
    }))
  }
}

interface LimiterCounts<T> {
  readonly policies: Bounded<PolicyCounts>
  readonly timings: Bounded<T>
}

/** Counts what is decided: whole numbers that are read when somebody asks for them. */
export class DecisionCounts<T extends Timing> {
  readonly #limiters: Bounded<LimiterCounts<T>>
  readonly #nearLimit: number

  /** `timing` makes what takes the durations of one limiter and source. */
  constructor(nearLimit: number, timing: (labels: Labels) => T) {
    const room = { left: mostNames }
    this.#nearLimit = nearLimit
    this.#limiters = new Bounded(room, (limiter) => ({
      policies: new Bounded(room, () => new PolicyCounts(room)),
      timings: new Bounded(room, (source) => timing({ limiter, source })),
    }))
  }

  /** Shows a limiter before it has decided anything. */
  open(limiter: string): void {
    this.#limiters.of(limiter)
  }

  /** `durationMs` 0: nobody was asked. */
  decided(decision: Decision, durationMs: number): void {
    const { source, shadow } = decision
    const { policies, timings } = this.#limiters.of(decision.limiter)
    policies.of(decision.policy).sources.of(source)[decision.reason ?? 'allowed']++
    if (shadow !== null) policies.of(shadow.policy).shadowRefusals++
    if (durationMs > 0) timings.of(source).add(durationMs)
    // Numbers of the fallback are this process's alone, or nobody's.
    if (decision.allowed && source !== 'none' && source !== 'fallback') this.#countNear(decision, policies)
  }

  /** A limit of 1 knows no near. */
  #countNear({ verdicts }: Decision, policies: Bounded<PolicyCounts>): void {
    for (const name in verdicts) {
      const verdict = verdicts[name]
      if (verdict === undefined || !verdict.allowed || verdict.limit === 1) continue
      const { limit, remaining } = verdict
      if (limit - remaining >= limit * this.#nearLimit - rounding) policies.of(name).near++
    }
  }

  lost(limiter: string, policy: string): void {
    this.#limiters.of(limiter).policies.of(policy).lostLeases++
  }

  decisions(): readonly Value[] {
    return [...this.#policies()].flatMap(({ labels, counts }) =>
      [...counts.sources.entries()].flatMap(([source, outcomes]) =>
        valuesOf(outcomes, { ...labels, source }),
      ),
    )
  }

  nearLimit(): readonly Value[] {
    return this.#each(({ near }) => near)
  }

  shadowRefusals(): readonly Value[] {
    return this.#each(({ shadowRefusals }) => shadowRefusals)
  }

  lostLeases(): readonly Value[] {
    return this.#each(({ lostLeases }) => lostLeases)
  }

  fallbackDecisions(): readonly Value[] {
    return [...this.#limiters.entries()].map(([limiter, { policies }]) => ({
      labels: { limiter },
      value: sum([...policies.entries()].map(([, { sources }]) => withoutStore(sources))),
    }))
  }

  *timings(): Iterable<T> {
    for (const [, { timings }] of this.#limiters.entries())
      for (const [, timing] of timings.entries()) yield timing
  }

  *#policies(): Iterable<{ labels: Labels; counts: PolicyCounts }> {
    for (const [limiter, { policies }] of this.#limiters.entries()) {
      for (const [policy, counts] of policies.entries()) yield { labels: { limiter, policy }, counts }
    }
  }

  #each(read: (counts: PolicyCounts) => number): readonly Value[] {
    return [...this.#policies()].map(({ labels, counts }) => ({ labels, value: read(counts) }))
  }
}

/** 0.07 × 100 is a little more than 7. */
const rounding = 1e-9

/** What has not happened yet is left out: of six outcomes most never come. */
function valuesOf(outcomes: Outcomes, labels: Labels): readonly Value[] {
  const all = Object.entries(outcomes).map(([outcome, value]) =>
    outcome === 'allowed'
      ? { labels: { ...labels, outcome }, value }
      : { labels: { ...labels, outcome: 'refused', reason: outcome }, value },
  )
  return all.filter(({ value }) => value > 0)
}

/** Where no store answered: counted here, or else let through or refused by the choice for that case. */
function withoutStore(sources: Bounded<Outcomes>): number {
  const counts = [...sources.entries()].map(([source, outcomes]) => {
    if (source === 'fallback') return sum(Object.values(outcomes))
    return source === 'none' ? outcomes.allowed + outcomes['store-unavailable'] : 0
  })
  return sum(counts)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
