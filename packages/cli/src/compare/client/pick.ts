import type { Column } from './columns.ts'
import type { Role } from './roles.ts'

/** A smaller share of lines has another format, or a broken one. */
const leastShare = 0.02
const most = 0.5
const nearlyAll = 0.95
/** With this many times more clients than nodes, the choice is certain. */
const manyTimes = 10

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
export function peerOf(columns: readonly Column[]): Column | undefined {
  const full = Math.max(0, ...columns.map(({ lines }) => lines))
  const usual = columns.filter(({ lines }) => lines >= full * most)
  // Fields with ports behind the request hold the servers that answer, or clients where there is no other field.
  const unported = usual.filter(
    ({ role, name, ported }) => !(role === 'place' && name.startsWith('+') && ported),
  )
  const candidates = unported.length > 0 ? unported : usual
  return candidates.toSorted((a, b) => rank[a.role] - rank[b.role])[0]
}

/** The field that goes on where the peer is a proxy, and another that may as well be the client's. */
export interface Chained {
  readonly chain: Column | undefined
  readonly rival: Column | undefined
}

export function chainOf(columns: readonly Column[], peer: Column): Chained {
  const others = columns.filter((column) => column !== peer)
  const claims = others.filter(isClaim).toSorted((a, b) => b.lines - a.lines)
  if (peer.role === 'claim' || claims.length > 0)
    return { chain: peer.role === 'claim' ? undefined : claims[0], rival: undefined }
  const named = peer.role === 'client' || peer.role === 'peer'
  const like = others.filter(({ role }) => !named || role === 'client' || role === 'peer')
  const chain = strangersBehind(like, peer)
  if (chain !== undefined || named) return { chain, rival: undefined }
  const beside = like.filter((column) => standsBeside(column, peer))
  return {
    chain: beside.find((column) => relationOf(column, peer) === 'behind'),
    rival: beside.find((column) => relationOf(column, peer) === 'unclear'),
  }
}

/** Whether a column was written by the hop before, by its name or by what it holds. */
function isClaim({ role, chained }: Column): boolean {
  return role === 'claim' || (chained && role !== 'client' && role !== 'peer')
}

/** Finds a chain that has no name by what it holds: addresses of no proxy, in lines whose peer is a proxy. */
function strangersBehind(others: readonly Column[], peer: Column): Column | undefined {
  const proxied = peer.hops.flatMap((hops, i) => (hops === undefined || peer.strange[i] ? [] : [i]))
  if (proxied.length <= peer.lines * leastShare) return undefined
  const strangersIn = ({ strange }: Column) => proxied.filter((i) => strange[i]).length
  const found = others.toSorted((a, b) => strangersIn(b) - strangersIn(a))[0]
  return found !== undefined && strangersIn(found) > proxied.length * most ? found : undefined
}

/** Whether a column holds other addresses than the peer, of the same kind, in nearly all lines. */
function standsBeside({ hops, lines, strangers, ported }: Column, peer: Column): boolean {
  if (ported || lines < peer.lines * nearlyAll) return false
  if (strangers > lines * most !== peer.strangers > peer.lines * most) return false
  const different = peer.hops.filter(
    (near, i) => near !== undefined && !near.some((hop) => hops[i]?.includes(hop)),
  )
  return different.length > peer.lines * most
}

/**
 * Which of two addresses of a line is nearer to the client cannot be seen from one line. Of many lines it can: nodes of a content
 * network, or of a cluster, are few or have equal shares, and clients are many and have not.
 */
function relationOf(column: Column, peer: Column): 'behind' | 'before' | 'unclear' {
  if (column.distinct >= peer.distinct * manyTimes) return 'behind'
  if (peer.distinct >= column.distinct * manyTimes) return 'before'
  if (column.even === peer.even) return 'unclear'
  return peer.even ? 'behind' : 'before'
}
