import { Fullest } from '../replay/fullest.ts'
import type { Kept } from './kept.ts'
import type { Group } from './suggestion.ts'

/** Which clients are well-behaved, and by which threshold. */
export interface WellBehaved {
  /** The most requests that one of them sent in any minute. */
  readonly busiestMinute: number
  readonly wellBehaved: Group
  readonly others: Group
  has(client: number): boolean
}

const minuteUs = 60e6

/**
 * Clients are well-behaved by their requests: those whose busiest minute was calmest, up to this share of
 * all clients, including those as calm as the last of them.
 */
export function wellBehavedOf(kept: Kept, share: number): WellBehaved {
  const { busiest, requests } = countsOf(kept)
  const ranked = busiest.filter((most) => most > 0).sort()
  const busiestMinute = ranked[Math.ceil(ranked.length * share) - 1] ?? 0
  const has = (client: number): boolean => (busiest[client] ?? 0) <= busiestMinute
  const clients = ranked.filter((most) => most <= busiestMinute).length
  const theirs = requests.reduce((sum, sent, client) => (has(client) ? sum + sent : sum), 0)
  return {
    busiestMinute,
    wellBehaved: { clients, requests: theirs },
    others: { clients: ranked.length - clients, requests: kept.size - theirs },
    has,
  }
}

/** Per client number: all requests, and the most in any minute. */
function countsOf(kept: Kept): { readonly busiest: Float64Array; readonly requests: Float64Array } {
  const busiest = new Float64Array(kept.names)
  const requests = new Float64Array(kept.names)
  const minute = new Fullest(minuteUs)
  for (let at = 0; at < kept.size; at++) {
    const client = kept.clientAt(at)
    requests[client] = (requests[client] ?? 0) + 1
    busiest[client] = Math.max(busiest[client] ?? 0, minute.add(kept.atUs(at), 1, client))
  }
  return { busiest, requests }
}
