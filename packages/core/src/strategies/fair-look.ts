import type { StrategyDraft } from './definition.ts'
import {
  clientOf,
  type FairClient,
  type FairLife,
  type FairState,
  leftFor,
  openWindow,
  others,
  othersPart,
  seatOf,
  type Wish,
  wishesOf,
} from './fair-window.ts'
import { isMixed, lasting, spanOf, type WindowNumbers } from './window.ts'

export interface FairNumbers extends WindowNumbers {
  readonly limit: number
  readonly weight: number
  readonly maxClients: number
  readonly noteBytes: number
}

/** When a call is made, and the note that names its client. */
interface Call {
  readonly nowUs: number
  readonly note: string
}

/** The window of a call, and its client in it. */
export interface FairSeen {
  readonly window: FairState
  /** Whether the window runs already; else the call would open it. */
  readonly runs: boolean
  readonly name: string
  readonly weight: number
  readonly client: FairClient
  /** The life of the window once it is charged. */
  readonly life: FairLife
}

export interface FairDraft extends StrategyDraft {
  readonly seen: FairSeen
  readonly cost: number
}

const nobody: ReadonlyMap<string, Wish> = new Map()

/** The window that runs, or the one that a call would open. */
function windowAt(numbers: FairNumbers, state: FairState | undefined, nowUs: number): FairState {
  if (state !== undefined && state.endUs > nowUs) return state
  const { limit, windowUs } = numbers
  const wishes = state !== undefined && state.untilUs > nowUs ? wishesOf(state, limit) : nobody
  const life = { endUs: nowUs + windowUs, untilUs: nowUs + 2 * windowUs, spanUs: spanOf(numbers) }
  return openWindow(wishes, limit, life)
}

/** The life of a window after a charge, which may make it last longer if other numbers have opened it. */
function lifeAfter(numbers: FairNumbers, window: FairState, nowUs: number): FairLife {
  if (!isMixed(numbers, window)) return window
  const { endUs, spanUs } = lasting(window, numbers, nowUs + numbers.windowUs)
  return endUs === window.endUs ? window : { endUs, untilUs: endUs + numbers.windowUs, spanUs }
}

export function see(numbers: FairNumbers, state: FairState | undefined, { nowUs, note }: Call): FairSeen {
  const window = windowAt(numbers, state, nowUs)
  const runs = window === state
  const name = seatOf(window, note, numbers.maxClients)
  return {
    window,
    runs,
    name,
    weight: name === others ? 1 : numbers.weight,
    client: clientOf(window, name),
    life: runs ? lifeAfter(numbers, window, nowUs) : window,
  }
}

/** The weight of the others that have asked in the window. */
function othersAsking({ window, client }: FairSeen): number {
  return window.asking - (client.asked > 0 ? client.weight : 0)
}

/** Time until the same cost is allowed, if nobody else asks meanwhile: in the next window, or once nothing is known of others. */
function waitUs(
  numbers: FairNumbers,
  seen: FairSeen,
  { nowUs, note, cost }: Call & { cost: number },
): number {
  const { limit } = numbers
  const { window, name, weight, client } = seen
  const share = Math.floor((limit * weight) / (othersAsking(seen) + weight + 1))
  // The next window keeps this share for the client. One unit is free in any case: all shares together are less than the limit.
  if (cost <= Math.max(1, share)) return window.endUs - nowUs
  const wishes = wishesOf(window, limit)
  wishes.set(name, { units: Math.min(limit, Math.max(client.asked + cost, client.used)), weight })
  const next = openWindow(wishes, limit, window)
  // A client that counts as one of the others may get a seat then, as a new client does.
  const seat = seatOf(next, note, numbers.maxClients)
  const own = { limit, weight: seat === others ? 1 : numbers.weight }
  const fits = cost <= leftFor(next, clientOf(next, seat), own)
  return (fits ? window.endUs : window.untilUs) - nowUs
}

/** Time until the client may take the whole limit, if nobody asks meanwhile. `writes`: the call opens the window if none runs. */
function resetUs(
  seen: FairSeen,
  state: FairState | undefined,
  { nowUs, taken, writes }: { nowUs: number; taken: number; writes: boolean },
): number {
  const { window, runs, client, life } = seen
  const after = taken > 0 ? life : window
  if (runs && othersAsking(seen) > 0) return after.untilUs - nowUs
  // A client that counts as one of the others has a seat in the next window, in which units are kept for what the others asked for.
  if (seen.name === others && (client.asked > 0 || writes)) return after.untilUs - nowUs
  if (window.total + taken === 0 && othersPart(window, client) === 0) return 0
  return (runs || writes || state === undefined ? after.endUs : state.untilUs) - nowUs
}

export function lookFairly(
  numbers: FairNumbers,
  state: FairState | undefined,
  call: Call & { cost: number },
): FairDraft {
  const { limit } = numbers
  const { nowUs, cost } = call
  const seen = see(numbers, state, call)
  const left = leftFor(seen.window, seen.client, { limit, weight: seen.weight })
  const allowed = cost <= left
  const taken = allowed ? cost : 0
  return {
    allowed,
    limit,
    remaining: left - taken,
    retryAfterUs: allowed ? 0 : cost > limit ? null : waitUs(numbers, seen, call),
    resetAfterUs: resetUs(seen, state, { nowUs, taken, writes: cost > 0 && cost <= limit }),
    seen,
    cost,
  }
}
