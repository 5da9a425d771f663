import type { Lists, Observed } from '@sluice/core'
import { partsOf, pictures } from '@sluice/core/internal'
import { networkBitsOf } from '@sluice/http/internal'
import { dataOfPolicy } from './policy-data.ts'
import type { DescribedLimit, DescribedLimiter, DescribedPolicy, Description } from './wire.ts'

/** The most characters that a process writes of its limiters: a thousand policies fit many times. */
const mostCharacters = 1_000_000

type ObservedPolicy = NonNullable<Observed['lanes']>[number]

function describedPolicy({ name, policy, tag, shadow }: ObservedPolicy): DescribedPolicy {
  const shared = { name, tag: Number.isFinite(tag) ? tag : null, shadow }
  if (policy === null) return { ...shared, rule: 'chosen for each request', strategy: '', data: null }
  const now = partsOf(policy).changing?.now ?? policy
  return {
    ...shared,
    rule: pictures.pictureOf(now).rule,
    strategy: policy.strategy,
    data: dataOfPolicy(now) ?? null,
    ...(now !== policy && { own: pictures.pictureOf(policy).rule }),
  }
}

function describedLimiter(limiter: Observed, shared: Lists | undefined): DescribedLimiter {
  const { name, store, lanes, lists } = limiter
  const given = lists?.given ?? []
  return {
    name,
    store: store?.name ?? '',
    prefix: store?.prefix ?? null,
    policies: lanes?.map(describedPolicy) ?? null,
    networkBits: networkBitsOf(limiter) ?? null,
    listed: shared !== undefined && given.includes(shared),
    ownLists: given.some((each) => each !== shared),
  }
}

interface About {
  readonly service: string
  readonly startedMs: number
  /** The lists of operations, if they are in use. */
  readonly shared?: Lists | undefined
  readonly limits?: readonly DescribedLimit[] | undefined
}

/** Describes limiters. Those that share a name, a store and all else are described once. */
export function describe(open: Iterable<Observed>, { shared, ...about }: About): string {
  const limiters: DescribedLimiter[] = []
  const known = new Set<string>()
  let [characters, cut] = [0, 0]
  for (const limiter of open) {
    const described = describedLimiter(limiter, shared)
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
