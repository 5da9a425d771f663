import { type Part, partsOfWindow, type Wish, weightOf } from './fair-parts.ts'

/** A client in a window. */
export interface FairClient extends Part {
  /** Units taken, and not given back. */
  used: number
  /** Units asked for, also in vain; past the limit they need not be counted. */
  asked: number
  weight: number
}

export interface FairLife {
  endUs: number
  /** From then on the next window does not follow this one. */
  untilUs: number
  /** Where a policy that was chosen for a call has opened it: how long its windows are. */
  spanUs?: number | undefined
}

export interface FairState extends FairLife {
  /** Units taken of the limit. */
  total: number
  /** Units kept for clients that have not used them yet. */
  kept: number
  /** What clients have not used of their parts beyond that. */
  owed: number
  /** The weight of all that asked in the window before. */
  known: number
  /** The weight of all that asked in this one. */
  asking: number
  readonly clients: Map<string, FairClient>
}

/** Who comes when all seats are taken: they are one client. Names of clients begin with `=`. */
export const others = '~'

const unknown: FairClient = { part: 0, kept: 0, used: 0, asked: 0, weight: 0 }

export function clientOf({ clients }: FairState, name: string): FairClient {
  return clients.get(name) ?? unknown
}

/** A client keeps its seat as long as it asks in each window. */
export function seatOf({ clients }: FairState, note: string, maxClients: number): string {
  const name = `=${note}`
  if (clients.has(name)) return name
  return clients.size - (clients.has(others) ? 1 : 0) < maxClients ? name : others
}

/** What each client asked for; `limit`: more is never needed. */
export function wishesOf({ clients }: FairState, limit: number): Map<string, Wish> {
  const wishes = new Map<string, Wish>()
  for (const [name, { asked, used, weight }] of clients)
    if (asked > 0) wishes.set(name, { units: Math.min(limit, Math.max(asked, used)), weight })
  return wishes
}

/** A window of `limit` units after one in which this was asked for. */
export function openWindow(
  wishes: ReadonlyMap<string, Wish>,
  limit: number,
  { endUs, untilUs, spanUs }: FairLife,
): FairState {
  const known = weightOf(wishes)
  const clients = new Map<string, FairClient>()
  const window = { endUs, untilUs, spanUs, total: 0, kept: 0, owed: 0, known, asking: 0, clients }
  const parts = partsOfWindow(wishes, limit)
  for (const [name, { weight }] of wishes) {
    const { part, kept } = parts.get(name) ?? unknown
    clients.set(name, { part, kept, used: 0, asked: 0, weight })
    window.kept += kept
    window.owed += part - kept
  }
  return window
}

function keptFor({ kept, used }: FairClient): number {
  return Math.max(0, kept - used)
}

function owedTo({ part, kept, used }: FairClient): number {
  return Math.max(0, part - Math.max(kept, used))
}

/** Units of others' parts that they have not used. */
export function othersPart({ kept, owed }: FairState, client: FairClient): number {
  return kept - keptFor(client) + owed - owedTo(client)
}

/**
 * What a client may take now: up to its part or its share whatever is not kept for others, and beyond that what is in nobody's part.
 */
export function leftFor(
  window: FairState,
  client: FairClient,
  { limit, weight }: { limit: number; weight: number },
): number {
  const room = limit - window.total - window.kept + keptFor(client)
  const share = Math.ceil((limit * weight) / (window.known + 1))
  const own = Math.min(room, Math.max(client.part, share) - client.used)
  return Math.max(0, own, room - window.owed + owedTo(client))
}

/** Counts what a client took and asked for; its weight is that of its latest call. */
export function countFor(
  window: FairState,
  { name, weight }: { name: string; weight: number },
  { taken, asked }: { taken: number; asked: number },
): void {
  const client = window.clients.get(name) ?? { ...unknown, weight }
  window.clients.set(name, client)
  if (asked !== 0) {
    const before = client.asked > 0 ? client.weight : 0
    client.asked = Math.max(0, client.asked + asked)
    client.weight = weight
    window.asking += (client.asked > 0 ? weight : 0) - before
  }
  window.kept -= keptFor(client)
  window.owed -= owedTo(client)
  client.used += taken
  window.total = Math.max(0, window.total + taken)
  window.kept += keptFor(client)
  window.owed += owedTo(client)
}
