import type { Decision, Verdict } from '@sluice/core'
import { decisions, encodeKey } from '@sluice/core/internal'
import { type ShownKey, shownKey } from './shown-key.ts'
import { TopKeys } from './top-keys.ts'
import type { SeenKey, SeenPolicy, SeenText } from './wire.ts'

/** Keys that are kept for each policy, and that are published. */
const kept = 50
const published = 10
/** A key is near its limit from here on. */
const nearFrom = 0.8
/** Policies with numbers that are published at once, the most refused first. */
const mostPolicies = 200
/** Spans that together are "lately". */
const spans = 5

interface NearKey {
  readonly shown: ShownKey
  readonly used: number
  readonly limit: number
}

/** What one policy has decided lately. */
class PolicySeen {
  admitted = 0
  refused = 0
  readonly refusedKeys: TopKeys = new TopKeys(kept)
  readonly near = new Map<string, NearKey>()
  readonly #past: { admitted: number; refused: number }[] = []

  admit(verdict: Verdict): void {
    this.admitted++
    const { key, limit, remaining } = verdict
    const used = limit - remaining
    // A limit of one is reached at once, so nobody is near it.
    if (limit === 1 || used < limit * nearFrom || this.near.size >= kept) return
    this.near.set(encodeKey(key), { shown: shownKey(key), used, limit })
  }

  refuse({ key }: Pick<Verdict, 'key'>): void {
    this.refused++
    this.refusedKeys.add(key, 1)
  }

  /** Ends a span; `idle` once nothing has come for all of them. */
  turn(): void {
    this.#past.push({ admitted: this.admitted, refused: this.refused })
    if (this.#past.length > spans) this.#past.shift()
    this.admitted = 0
    this.refused = 0
  }

  get lately(): { admitted: number; refused: number } {
    const sum = { admitted: 0, refused: 0 }
    for (const { admitted, refused } of this.#past) {
      sum.admitted += admitted
      sum.refused += refused
    }
    return sum
  }
}

/** What this process has decided lately: counts by policy, and who is refused most. In bounded room. */
export class Seen {
  readonly #limiters = new Map<string, Map<string, PolicySeen>>()
  /** When the spans began that are published now. */
  readonly #begun: number[] = [performance.now()]
  #turns = 0

  /** Each policy by what it said itself. */
  decided(decision: Decision, { operation }: { readonly operation: string }): void {
    if (operation === 'peek') return
    if (decision.allowed) this.#admitted(decision)
    else this.#refused(decision)
  }

  #admitted({ limiter, verdicts }: Decision): void {
    for (const name in verdicts) {
      const verdict = verdicts[name]
      if (verdict !== undefined) this.#policy(limiter, name).admit(verdict)
    }
  }

  #refused(decision: Decision): void {
    const { limiter, policy } = decision
    const behind = decisions.verdictsBehind(decision)
    // A list refuses without asking a policy, and what decides may be the user's own.
    if (behind.length === 0) this.#policy(limiter, policy).refuse(decision)
    for (const verdict of behind) {
      const { check, row, allowed } = verdict
      // One in shadow mode refuses nobody.
      if (!allowed && !check.shadow) this.#policy(limiter, verdict.policy).refuse(verdict)
      // With `charge: 'every-level'` one that allows has taken its part of a request that another one refused.
      if (allowed && row.receipt !== '' && check.cost > 0) this.#policy(limiter, verdict.policy).admitted++
    }
  }

  /** Ends a span, and answers what is published. */
  turn(): Pick<SeenText, 'policies' | 'cut' | 'overMs'> {
    const now = performance.now()
    const overMs = Math.round(now - (this.#begun[0] ?? now))
    this.#begun.push(now)
    if (this.#begun.length > spans) this.#begun.shift()
    const all: SeenPolicy[] = []
    const fades = ++this.#turns % spans === 0
    for (const [limiter, policies] of this.#limiters) {
      for (const [policy, seen] of policies) {
        seen.turn()
        const { admitted, refused } = seen.lately
        if (admitted + refused === 0) {
          policies.delete(policy)
          continue
        }
        all.push({ limiter, policy, admitted, refused, top: topOf(seen), near: nearOf(seen) })
        seen.near.clear()
        if (fades) seen.refusedKeys.fade()
      }
      if (policies.size === 0) this.#limiters.delete(limiter)
    }
    all.sort((a, b) => b.refused - a.refused || b.admitted - a.admitted)
    return { policies: all.slice(0, mostPolicies), cut: Math.max(0, all.length - mostPolicies), overMs }
  }

  #policy(limiter: string, policy: string): PolicySeen {
    let policies = this.#limiters.get(limiter)
    if (policies === undefined) {
      policies = new Map()
      this.#limiters.set(limiter, policies)
    }
    let seen = policies.get(policy)
    if (seen === undefined) {
      seen = new PolicySeen()
      policies.set(policy, seen)
    }
    return seen
  }
}

function topOf({ refusedKeys }: PolicySeen): readonly SeenKey[] {
  return refusedKeys.list(published).map(({ shown, count }) => ({ ...shown, refused: count }))
}

function nearOf({ near }: PolicySeen): readonly SeenKey[] {
  const share = ({ used, limit }: NearKey) => (limit === 0 ? 1 : used / limit)
  const all = [...near.values()].sort((a, b) => share(b) - share(a)).slice(0, published)
  return all.map(({ shown, used, limit }) => ({ ...shown, used, limit }))
}
