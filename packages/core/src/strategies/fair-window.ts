/** A client in a window. */
export interface FairClient extends Part {
  /** Units taken, and not given back. */
  used: number
  /** Units asked for, also in vain; of those past the limit one is counted. */
  asked: number
  weight: number
}

export interface FairLife {
  endUs: number
  /** From then on, a new window knows nothing of this one. */
  untilUs: number
  /** Set if a policy that was chosen for a call has opened the window: how long that policy's windows are. */
  spanUs?: number | undefined
}

export interface FairState extends FairLife {
  /** Units taken of the limit. */
  total: number
  /** Units that clients have not used yet: of what is kept for them, of their fair shares, and of their parts. */
  kept: number
  fair: number
  parts: number
  /** The weight of all that asked in the window before. */
  known: number
  /** The weight of all that asked in this one. */
  asking: number
  readonly clients: Map<string, FairClient>
}

/** The name of all clients that come when all seats are taken: they count as one. Names of clients with a seat begin with `=`. */
export const others = '~'

const unknown: FairClient = { part: 0, fair: 0, kept: 0, used: 0, asked: 0, weight: 0 }

export function clientOf({ clients }: FairState, name: string): FairClient {
  return clients.get(name) ?? unknown
}

/** The name under which a client counts. It keeps its seat as long as it asks in each window. */
export function seatOf({ clients }: FairState, note: string, maxClients: number): string {
  const name = `=${note}`
  if (clients.has(name)) return name
  return clients.size - (clients.has(others) ? 1 : 0) < maxClients ? name : others
}

/** What each client asked for, at most `limit`: more is never needed. */
export function wishesOf({ clients }: FairState, limit: number): Map<string, Wish> {
  const wishes = new Map<string, Wish>()
  for (const [name, { asked, used, weight }] of clients)
    if (asked > 0) wishes.set(name, { units: Math.min(limit, Math.max(asked, used)), weight })
  return wishes
}

/** A new window of `limit` units, after one in which clients had these wishes. */
export function openWindow(
  wishes: ReadonlyMap<string, Wish>,
  limit: number,
  { endUs, untilUs, spanUs }: FairLife,
): FairState {
  const known = weightOf(wishes)
  const clients = new Map<string, FairClient>()
  const window = { endUs, untilUs, spanUs, total: 0, kept: 0, fair: 0, parts: 0, known, asking: 0, clients }
  const parts = partsOfWindow(wishes, limit)
  for (const [name, { weight }] of wishes) {
    const { part, fair, kept } = parts.get(name) ?? unknown
    clients.set(name, { part, fair, kept, used: 0, asked: 0, weight })
    window.kept += kept
    window.fair += fair
    window.parts += part
  }
  return window
}

function unused(units: number, { used }: FairClient): number {
  return Math.max(0, units - used)
}

/** Units of others' parts that they have not used. */
export function othersPart({ parts }: FairState, client: FairClient): number {
  return parts - unused(client.part, client)
}

/**
 * How many units a client may take now. Up to its fair share, or that of a new client: units that are not kept for others. From there to
 * its part: units that are not in others' fair shares. Beyond its part: units that are in no other client's part.
 */
export function leftFor(
  window: FairState,
  client: FairClient,
  { limit, weight }: { limit: number; weight: number },
): number {
  const { fair, kept, part, used } = client
  const room = limit - window.total
  const share = Math.max(fair, 1, Math.floor((limit * weight) / (window.known + 1)))
  return Math.max(
    0,
    Math.min(share - used, room - window.kept + unused(kept, client)),
    Math.min(part - used, room - window.fair + unused(fair, client)),
    room - othersPart(window, client),
  )
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
  const { fair, kept, part } = client
  window.kept -= unused(kept, client)
  window.fair -= unused(fair, client)
  window.parts -= unused(part, client)
  client.used += taken
  window.total = Math.max(0, window.total + taken)
  window.kept += unused(kept, client)
  window.fair += unused(fair, client)
  window.parts += unused(part, client)
}

/** What a client asked for in a window, refusals included. */
export interface Wish {
  readonly units: number
  readonly weight: number
}

/** What a client has in a window. */
interface Part {
  /** By max–min fairness, rounded up. */
  readonly part: number
  /** As much of the part as its share among all that asked before: clients that have used their own fair shares may not use it. */
  readonly fair: number
  /** As much of the part as its share if one more client comes: no other client may use it. */
  readonly kept: number
}

function weightOf(wishes: ReadonlyMap<string, Wish>): number {
  let weight = 0
  for (const wish of wishes.values()) weight += wish.weight
  return weight
}

/**
 * The units that the clients have together which asked for more than their share, and their weight. A client that asked for no more gets
 * all that it asked for, the smallest wish first; the rest is left to the others.
 */
function levelOf(wishes: ReadonlyMap<string, Wish>, limit: number): { units: number; weight: number } {
  const inOrder = [...wishes.values()].sort((a, b) => a.units * b.weight - b.units * a.weight)
  let [units, weight] = [limit, weightOf(wishes)]
  for (const wish of inOrder) {
    if (wish.units * weight > units * wish.weight) break
    units -= wish.units
    weight -= wish.weight
  }
  return { units, weight }
}

/** The parts of a window by max–min fairness: no client can have more unless one that has no more for its weight has less. */
function partsOfWindow(wishes: ReadonlyMap<string, Wish>, limit: number): ReadonlyMap<string, Part> {
  const level = levelOf(wishes, limit)
  const all = weightOf(wishes)
  const parts = new Map<string, Part>()
  for (const [name, { units, weight }] of wishes) {
    const isServed = units * level.weight <= level.units * weight
    const part = isServed ? units : Math.ceil((level.units * weight) / level.weight)
    parts.set(name, {
      part,
      fair: Math.min(part, Math.floor((limit * weight) / all)),
      kept: Math.min(part, Math.floor((limit * weight) / (all + 1))),
    })
  }
  return parts
}
