import type { LogEntry } from '../log/entry.ts'
import { count, counted } from '../words.ts'
import { type Choice, type Confidence, clientIn, strangerAt } from './choice.ts'
import { type Column, columnOf, columnsOf } from './columns.ts'
import { networksWords } from './networks-words.ts'
import type { Role } from './roles.ts'
import type { Trusts } from './trust.ts'

export interface Asked {
  /** The field that was named; undefined if it is to be found. */
  readonly field: string | undefined
  readonly trusts: Trusts
  /** Whether proxies were named: then no others are found. */
  readonly named: boolean
}

/** Fewer lines than this share have another format, or a broken one. */
const leastShare = 0.02
const mostChoices = 4
/** So many chains have to go on behind a hop for it to be a proxy. */
const nearlyAll = 0.95
const most = 0.5
const mostProxies = 3
/** No server has so many public addresses of its own. */
const many = 10

/**
 * What is taken for the client in lines like these: several choices where lines of several formats are mixed, the first that
 * gives an address for a line. None where no field holds addresses.
 */
export function choose(entries: readonly LogEntry[], asked: Asked): readonly Choice[] {
  if (asked.field !== undefined) return [named(entries, asked.field, asked)]
  const choices: Choice[] = []
  for (let rest = entries; choices.length < mostChoices; ) {
    const choice = rest.length > entries.length * leastShare ? chooseOne(rest, asked) : undefined
    if (choice === undefined) break
    choices.push(choice)
    rest = rest.filter((entry) => clientIn(entry, choice, asked.trusts) === undefined)
  }
  return choices
}

function named(entries: readonly LogEntry[], field: string, asked: Asked): Choice {
  const column = columnOf(field, entries, asked.trusts)
  const why = `named by --client, ${linesWords(column.lines, entries)}`
  const hops = column.hops.map((found) => found ?? [])
  return finished({ chain: field, peer: null, confidence: 'sure', why }, hops, asked)
}

function linesWords(lines: number, entries: readonly LogEntry[]): string {
  return `addresses in ${count(lines)} of ${counted(entries.length, 'line')}`
}

function chooseOne(entries: readonly LogEntry[], asked: Asked): Choice | undefined {
  const columns = columnsOf(entries, asked.trusts)
  const peer = peerOf(columns)
  if (peer === undefined) return undefined
  const chain = chainOf(columns, peer)
  const hops = entries.map((_, i) => [...(chain?.hops[i] ?? []), ...(peer.hops[i] ?? [])])
  const lines = linesWords(hops.filter((found) => found.length > 0).length, entries)
  const { confidence, but = '' } = reasons(columns, peer, chain)
  return finished(
    { chain: chain?.name ?? null, peer: peer.name, confidence, why: `${lines}${but}` },
    hops,
    asked,
  )
}

const rank: Readonly<Record<Role, number>> = {
  client: 0,
  peer: 1,
  place: 2,
  claim: 3,
  other: 4,
  machine: 5,
  server: 6,
}

/** The address that the server saw, or a claim where a log has nothing else. */
function peerOf(columns: readonly Column[]): Column | undefined {
  const full = Math.max(0, ...columns.map(({ lines }) => lines))
  const usual = columns.filter(({ lines }) => lines >= full * most)
  // Servers that answer stand with their ports, behind the request; so may clients where nothing else is there.
  const unported = usual.filter(
    ({ role, name, ported }) => !(role === 'place' && name.startsWith('+') && ported),
  )
  const candidates = unported.length > 0 ? unported : usual
  return candidates.toSorted((a, b) => rank[a.role] - rank[b.role])[0]
}

/** The field that goes on where the peer is a proxy. */
function chainOf(columns: readonly Column[], peer: Column): Column | undefined {
  const others = columns.filter((column) => column !== peer)
  if (peer.role === 'claim') return undefined
  const claims = others.filter(({ role }) => role === 'claim').toSorted((a, b) => b.lines - a.lines)
  if (claims.length > 0) return claims[0]
  const like = others.filter(({ role }) => peer.role === 'place' || role === 'client' || role === 'peer')
  return strangersBehind(like, peer) ?? (peer.role === 'place' ? moreThanPeers(like, peer) : undefined)
}

/** A chain that has no name is known by who stands in it: strangers, in lines whose peer is a proxy. */
function strangersBehind(others: readonly Column[], peer: Column): Column | undefined {
  const proxied = peer.hops.flatMap((hops, i) => (hops === undefined || peer.strange[i] ? [] : [i]))
  if (proxied.length <= peer.lines * leastShare) return undefined
  const strangersIn = ({ strange }: Column) => proxied.filter((i) => strange[i]).length
  const found = others.toSorted((a, b) => strangersIn(b) - strangersIn(a))[0]
  return found !== undefined && strangersIn(found) > proxied.length * most ? found : undefined
}

/**
 * Or it stands in nearly all lines, and there are more different ones than peers: those are nodes of something. Behind the request,
 * where headers are logged, it is enough that they are many: a network of caches has more nodes than a minute has clients.
 */
function moreThanPeers(others: readonly Column[], peer: Column): Column | undefined {
  return others.find(
    ({ name, ported, lines, strangers, distinct }) =>
      !ported &&
      lines >= peer.lines * nearlyAll &&
      (distinct > peer.distinct || (name.startsWith('+') && strangers === lines && distinct >= many)),
  )
}

interface Reasons {
  readonly confidence: Confidence
  /** What speaks against it. */
  readonly but?: string
}

function reasons(columns: readonly Column[], peer: Column, chain: Column | undefined): Reasons {
  const alone = columns.length <= (chain === undefined ? 1 : 2)
  if (peer.role === 'other' || peer.role === 'machine')
    return { confidence: 'a guess', but: ', and in no field of a name that says so' }
  if (peer.strangers === 0 && (chain?.strangers ?? 0) === 0)
    return { confidence: 'likely', but: ', all of them private' }
  const says = peer.role === 'place' ? chain?.role === 'claim' : chain === undefined || chain.role === 'claim'
  return alone || says
    ? { confidence: 'sure' }
    : { confidence: 'likely', but: `, as in ${counted(columns.length - 1, 'other')}` }
}

type Draft = Omit<Choice, 'proxies'>

/** Looks for proxies that nobody has named: a hop behind which nearly all chains go on. */
function finished(draft: Draft, hops: readonly (readonly string[])[], { trusts, named }: Asked): Choice {
  const chains = hops
    .filter((chain) => chain.length > 0)
    .map((chain) => chain.slice(0, strangerAt(chain, trusts) + 1))
  let proxies = 0
  const seen: string[] = []
  while (proxies < mostProxies && goesOn(chains, proxies, trusts)) {
    for (const chain of chains) if (chain.length > proxies + 1) seen.push(chain.at(-1 - proxies) ?? '')
    proxies++
  }
  if (proxies === 0) return { ...draft, proxies }
  const who = networksWords(seen)
  if (named)
    return {
      ...draft,
      proxies: 0,
      why: `${draft.why}; nearly all chains pass ${who}, which --trust does not name`,
    }
  const why = `${draft.why}; nearly all chains pass ${who}, taken for proxies: --trust says so`
  return { ...draft, proxies, confidence: 'likely', why }
}

/** Whether the hop at this distance from the client's end is a proxy: somebody stands behind it, and not each time another. */
function goesOn(chains: readonly (readonly string[])[], distance: number, trusts: Trusts): boolean {
  const behind = new Set<string>()
  let on = 0
  for (const chain of chains) {
    const [far, near] = [chain.at(-2 - distance), chain.at(-1 - distance)]
    // A private address behind a public one is the client's own network, and tells nobody who it is.
    if (far === undefined || far === near || trusts(far)) continue
    on++
    behind.add(far)
  }
  return on >= chains.length * nearlyAll && chains.length > 1 && behind.size <= Math.max(1, on * nearlyAll)
}
