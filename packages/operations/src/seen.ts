import type { Decision } from '@sluice/core'
import { encodeKey } from '@sluice/core/internal'
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

  /** On the path of requests: a usual allowed decision makes no object. */
  decided(decision: Decision, { operation }: { readonly operation: string }): void {
    if (operation === 'peek') return
    const seen = this.#policy(decision.limiter, decision.policy)
    if (!decision.allowed) {
      seen.refused++
      seen.refusedKeys.add(decision.key, 1)
      return
    }
    seen.admitted++
    const { limit, remaining } = decision
    if (limit - remaining >= limit * nearFrom && seen.near.size < kept)
      seen.near.set(encodeKey(decision.key), {
        shown: shownKey(decision.key),
        used: limit - remaining,
        limit,
      })
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
