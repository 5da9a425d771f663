import type { Observed } from '@sluice/core'
import { dataOfPolicy, pictureOf } from '@sluice/core/internal'
import type { DescribedLimiter, DescribedPolicy, Description } from './wire.ts'

/** What a process may write of itself: a thousand policies fit many times. */
const mostCharacters = 1_000_000

type ObservedPolicy = NonNullable<Observed['lanes']>[number]

function describedPolicy({ name, policy, tag }: ObservedPolicy): DescribedPolicy {
  const shared = { name, tag: Number.isFinite(tag) ? tag : null }
  if (policy === null) return { ...shared, rule: 'chosen for each request', strategy: '', data: null }
  return {
    ...shared,
    rule: pictureOf(policy).rule,
    strategy: policy.strategy,
    data: dataOfPolicy(policy) ?? null,
  }
}

function describedLimiter({ name, store, lanes }: Observed): DescribedLimiter {
  return {
    name,
    store: store?.name ?? '',
    prefix: store?.prefix ?? null,
    policies: lanes?.map(describedPolicy) ?? null,
  }
}

/** One for each name and store, however many limiters share them. */
export function describe(
  open: Iterable<Observed>,
  about: { readonly service: string; readonly startedMs: number },
): string {
  const limiters: DescribedLimiter[] = []
  const known = new Set<string>()
  let [characters, cut] = [0, 0]
  for (const limiter of open) {
    const described = describedLimiter(limiter)
    const text = JSON.stringify(described)
    if (known.has(text)) continue
    known.add(text)
    characters += text.length
    if (characters > mostCharacters) cut++
    else limiters.push(described)
  }
  const description: Description = { ...about, pid: process.pid, limiters, cut }
  return JSON.stringify(description)
}
