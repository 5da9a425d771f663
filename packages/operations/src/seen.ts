import type { Decision, Verdict } from '@sluice/core'
import { decisions, encodeKey } from '@sluice/core/internal'
import { type ShownKey, shownKey } from './shown-key.ts'
import { TopKeys } from './top-keys.ts'
import type { SeenKey, SeenPolicy, SeenText } from './wire.ts'

/** How many keys are kept for each policy, and how many are published. */
const kept = 50
const published = 10
/** The used share of a limit from which a key counts as near it. */
const nearFrom = 0.8
/** The most policies that are published at once, those with the most refusals first. */
const mostPolicies = 200
/** How many spans together are "lately". */
const spans = 5

interface NearKey {
  readonly shown: ShownKey
  readonly used: number
  readonly limit: number
  /** The span in which it was seen so. */
  readonly span: number
}

/** What one policy has decided lately. */
class PolicySeen {
  admitted = 0
  refused = 0
  readonly refusedKeys: TopKeys = new TopKeys(kept)
  /** The latest stand last. */
  readonly near = new Map<string, NearKey>()
  #span = 0
  readonly #past: { admitted: number; refused: number }[] = []

  admit(verdict: Verdict): void {
    this.admitted++
    const { key, limit, remaining } = verdict
    const used = limit - remaining
    // A limit of one is reached at once, so no key is near it.
    const isNear = limit !== 1 && used >= limit * nearFrom
    if (!isNear && this.near.size === 0) return
    const name = encodeKey(key)
    this.near.delete(name)
    if (!isNear) return
    this.near.set(name, { shown: shownKey(key), used, limit, span: this.#span })
    if (this.near.size <= kept) return
    const [oldest = name] = this.near.keys()
    this.near.delete(oldest)
  }

  refuse({ key }: Pick<Verdict, 'key'>): void {
    this.refused++
    this.refusedKeys.add(key, 1)
  }

  /** Ends a span. */
  turn(): void {
    this.#past.push({ admitted: this.admitted, refused: this.refused })
    if (this.#past.length > spans) this.#past.shift()
    this.admitted = 0
    this.refused = 0
    for (const [name, { span }] of this.near) {
      if (span > this.#span - spans) break
      this.near.delete(name)
    }
    this.#span++
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

/** What this process has decided lately: counts by policy, and the keys that are refused most. Takes bounded memory. */
export class Seen {
  readonly #limiters = new Map<string, Map<string, PolicySeen>>()
  /** When each of the published spans began. */
  readonly #begun: number[] = [performance.now()]
  #turns = 0

  /** Counts for each policy what it has decided itself. */
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
    // There are none if a list has refused without asking a policy, or if the decision is of a limiter of the user's own.
    if (behind.length === 0) this.#policy(limiter, policy).refuse(decision)
    for (const verdict of behind) {
      const { check, row, allowed } = verdict
      // A policy in shadow mode refuses nobody.
      if (!allowed && !check.shadow) this.#policy(limiter, verdict.policy).refuse(verdict)
      // With `charge: 'every-level'`, a policy that allows has charged a request that another policy refused.
      if (allowed && row.receipt !== '' && check.cost > 0) this.#policy(limiter, verdict.policy).admitted++
    }
  }

  /** Ends a span, and returns the numbers to publish. */
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
