import type { Column } from './columns.ts'
import type { Role } from './roles.ts'

/** A smaller share of lines has another format, or a broken one. */
const leastShare = 0.02
const most = 0.5
const nearlyAll = 0.95
/** No server has so many public addresses of its own. */
const many = 10

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
  // Servers that answer stand with their ports, behind the request; so may clients where nothing else is there.
  const unported = usual.filter(
    ({ role, name, ported }) => !(role === 'place' && name.startsWith('+') && ported),
  )
  const candidates = unported.length > 0 ? unported : usual
  return candidates.toSorted((a, b) => rank[a.role] - rank[b.role])[0]
}

/** The field that goes on where the peer is a proxy. */
export function chainOf(columns: readonly Column[], peer: Column): Column | undefined {
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
