import type { Decision } from '@sluice/core'
import { answersBehind } from '@sluice/core/internal'
import { AllSeries, type Series, type Subject } from './series.ts'
import type { Sample } from './sink.ts'

/** Of one policy, or of one group in it. A series comes to be when it first counts something. */
interface OfPolicy {
  readonly subject: Subject
  readonly groups: Map<string, OfPolicy>
  hits: Series | undefined
  denied: Series | undefined
}

interface OfLimiter {
  readonly subject: Subject
  readonly policies: Map<string, OfPolicy>
  admitted: Series | undefined
  refused: Series | undefined
  local: Series | undefined
}

const uncounted = { admitted: undefined, refused: undefined, local: undefined }

/** What decisions come to, by series. Counting is two look-ups and some additions. */
export class Counts {
  readonly #series: AllSeries
  readonly #limiters = new Map<string, OfLimiter>()
  readonly #otherLimiter: OfLimiter
  readonly #otherPolicy: OfPolicy

  constructor(mostSeries: number) {
    this.#series = new AllSeries(mostSeries)
    const { hits, denied, admitted, refused, local } = this.#series.others
    this.#otherLimiter = { subject: { limiter: 'other' }, policies: new Map(), admitted, refused, local }
    this.#otherPolicy = { subject: { limiter: 'other' }, groups: new Map(), hits, denied }
  }

  add(decision: Decision, group: string): void {
    const { allowed, verdicts } = decision
    const limiter = this.#limiter(decision.limiter)
    this.#addWhole(limiter, decision)
    for (const name in verdicts) {
      const verdict = verdicts[name]
      if (verdict === undefined || verdict.cost === 0) continue
      const policy = this.#policy(limiter, name, group)
      // What a policy in shadow mode would refuse passes all the same, and so counts as both.
      if (!verdict.allowed) this.#deny(policy, verdict.cost)
      if (allowed) this.#hit(policy, verdict.cost)
    }
    if (!allowed) this.#addCharged(limiter, decision, group)
  }

  /** Whatever a charge was corrected to, now: its decision's group is not known any more. */
  correct(about: { readonly limiter: string; readonly policy: string; readonly units: number }): void {
    const limiter = this.#limiter(about.limiter)
    this.#hit(this.#policy(limiter, about.policy, ''), about.units)
  }

  /** Appends what was counted since the last time, as of a second. */
  takeOut(second: number, to: Sample[]): void {
    this.#series.takeOut(second, to)
  }

  /** Each request once. */
  #addWhole(limiter: OfLimiter, decision: Decision): void {
    const { allowed, cost } = decision
    if (cost === 0) return
    const series = this.#series
    const { subject } = limiter
    if (allowed) {
      limiter.admitted ??= series.get('admitted', subject)
      series.count(limiter.admitted, cost)
    } else {
      limiter.refused ??= series.get('refused', subject)
      series.count(limiter.refused, cost)
    }
    if (isWithoutStore(decision)) {
      limiter.local ??= series.get('local', subject)
      series.count(limiter.local, cost)
    }
  }

  /** Of a refused decision those policies have charged that allowed it, where each level pays for itself. */
  #addCharged(limiter: OfLimiter, decision: Decision, group: string): void {
    for (const { check, row } of answersBehind(decision)) {
      if (!row.allowed || row.receipt === '' || check.cost === 0) continue
      this.#hit(this.#policy(limiter, check.name, group), check.cost)
    }
  }

  #hit(policy: OfPolicy, units: number): void {
    policy.hits ??= this.#series.get('hits', policy.subject)
    this.#series.count(policy.hits, units)
  }

  #deny(policy: OfPolicy, units: number): void {
    policy.denied ??= this.#series.get('denied', policy.subject)
    this.#series.count(policy.denied, units)
  }

  #limiter(limiter: string): OfLimiter {
    const known = this.#limiters.get(limiter)
    if (known !== undefined) return known
    if (this.#series.full) return this.#otherLimiter
    const made: OfLimiter = { subject: { limiter }, policies: new Map(), ...uncounted }
    this.#limiters.set(limiter, made)
    return made
  }

  #policy({ subject: { limiter }, policies }: OfLimiter, policy: string, group: string): OfPolicy {
    const whole = policies.get(policy) ?? this.#make(policies, policy, { limiter, policy })
    if (group === '') return whole
    return whole.groups.get(group) ?? this.#make(whole.groups, group, { limiter, policy, group })
  }

  /** Once there are as many series as may be, further names are not kept either. */
  #make(all: Map<string, OfPolicy>, name: string, subject: Subject): OfPolicy {
    if (this.#series.full) return this.#otherPolicy
    const made = { subject, groups: new Map(), hits: undefined, denied: undefined }
    all.set(name, made)
    return made
  }
}

/** A deny list needs no store, nor does a refusal because too many wait: those are not told to be without one. */
function isWithoutStore({ allowed, reason, source }: Decision): boolean {
  return source === 'fallback' || (source === 'none' && (allowed || reason === 'store-unavailable'))
}
