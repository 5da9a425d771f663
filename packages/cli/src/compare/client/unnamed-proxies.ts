import { type Choice, strangerAt } from './choice.ts'
import { networksWords } from './networks-words.ts'
import type { Trusts } from './trust.ts'

/** The share of chains that have to go on behind a hop for it to be a proxy. */
const nearlyAll = 0.95
const mostProxies = 3

type Draft = Omit<Choice, 'proxies'>
type Chain = readonly string[]

/** Looks for proxies that nobody has named: a hop behind which nearly all chains go on. Where some were named, it only reports that hop. */
export function withUnnamedProxies(
  draft: Draft,
  hops: readonly Chain[],
  { trusts, named }: { readonly trusts: Trusts; readonly named: boolean },
): Choice {
  const chains = hops
    .filter((chain) => chain.length > 0)
    .map((chain) => chain.slice(0, strangerAt(chain, trusts) + 1))
  const seen: string[] = []
  let proxies = 0
  while (proxies < mostProxies && goesOn(chains, proxies, trusts)) {
    for (const chain of chains) if (chain.length > proxies + 1) seen.push(chain.at(-1 - proxies) ?? '')
    proxies++
  }
  if (proxies === 0) return { ...draft, proxies }
  const why = `${draft.why}; nearly all chains pass ${networksWords(seen)}`
  if (named) return { ...draft, proxies: 0, why: `${why}, which --trust does not name` }
  return { ...draft, proxies, confidence: 'likely', why: `${why}, taken for proxies: --trust says so` }
}

/** Whether the hop at this distance from the chain's end is a proxy: other addresses stand behind it, and not all of them differ. */
function goesOn(chains: readonly Chain[], distance: number, trusts: Trusts): boolean {
  const behind = new Set<string>()
  let on = 0
  for (const chain of chains) {
    const [far, near] = [chain.at(-2 - distance), chain.at(-1 - distance)]
    // A private address behind a public one is of the client's own network, and does not identify the client.
    if (far === undefined || far === near || trusts(far)) continue
    on++
    behind.add(far)
  }
  return on >= chains.length * nearlyAll && chains.length > 1 && behind.size <= Math.max(1, on * nearlyAll)
}
