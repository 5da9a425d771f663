import { places } from '../places/places.ts'
import type { Policy } from '../policy.ts'
import { reserving } from '../reserving/reserving.ts'
import type { Duration } from '../units.ts'
import { asChosen, like, limit, type MaybeChosen, maxEntries } from './common-options.ts'
import { type LineCaller, type LineOutcome, type StrategyDraft, slipUs } from './definition.ts'
import {
  type Claims,
  claimUs,
  fitting,
  liveClaims,
  longestAdviceUs,
  unitsOf,
  withCallers,
  without,
} from './line.ts'
import type { ReadOptions } from './options.ts'
import { inRedis, strategyFrom } from './strategy-from.ts'

export interface ConcurrencyOptions {
  /** The most units in flight at once, at most 100,000 because each is an entry. */
  limit: number
  /**
   * How long a unit counts if it is neither released nor renewed: when a process dies, its leases expire after this time. Live processes
   * renew their leases, so requests may take longer. From 100 ms to a day. @default '30s'
   */
  lease?: Duration | undefined
}

export interface Numbers extends ReadOptions<ConcurrencyOptions>, MaybeChosen {}

interface Lease {
  endUs: number
  readonly units: number
  /** Of a policy that was chosen for the call: how long its leases are. */
  readonly spanUs?: number | undefined
}

/** Leases by the call that took them, in the order of their ends: a lease just taken or renewed ends last. */
interface State {
  readonly leases: Map<string, Lease>
  /** Units of all leases, including those that have ended. */
  units: number
  /** When the last lease ends; undefined if it has to be looked up. */
  newestUs: number | undefined
  /** The call that took or renewed last. */
  newest: string
  /** Callers that wait for places: each counts as if it held one, so that callers that do not wait leave room for it. */
  line?: Claims | undefined
}

interface LeaseDraft extends StrategyDraft {
  readonly cost: number
  readonly endUs: number
  readonly spanUs: number | undefined
}

function newestLeaseUs(state: State): number {
  if (state.newestUs === undefined) {
    state.newestUs = Number.NEGATIVE_INFINITY
    for (const { endUs } of state.leases.values()) state.newestUs = endUs
  }
  return state.newestUs
}

/** When the last lease ends, or the last claim. */
function newestUs(state: State): number {
  let newest = newestLeaseUs(state)
  if (state.line !== undefined) for (const { endUs } of state.line) newest = Math.max(newest, endUs)
  return newest
}

function leasedUnits({ leases, units }: State, nowUs: number): number {
  let live = units
  for (const lease of leases.values()) {
    if (lease.endUs > nowUs) break
    live -= lease.units
  }
  return live
}

/** Units in flight, and those that wait. */
function liveUnits(state: State, nowUs: number): number {
  const leased = leasedUnits(state, nowUs)
  return state.line === undefined ? leased : leased + unitsOf(liveClaims(state.line, nowUs))
}

/** Time until enough leases have ended, the oldest first; at most `longestAdviceUs`. */
function freeAfterUs({ leases, line }: State, nowUs: number, wanted: number): number {
  const ends =
    line === undefined ? leases.values() : [...leases.values(), ...line].sort((a, b) => a.endUs - b.endUs)
  let freed = 0
  for (const { endUs, units } of ends) {
    if (endUs <= nowUs) continue
    freed += units
    if (freed >= wanted) return Math.min(endUs - nowUs, longestAdviceUs)
  }
  return 0
}

function remove(state: State, call: string): State {
  const lease = state.leases.get(call)
  if (lease === undefined) return state
  state.leases.delete(call)
  state.units -= lease.units
  if (lease.endUs === state.newestUs) state.newestUs = undefined
  return state
}

function sortByEnd(state: State): void {
  const inOrder = [...state.leases].sort(([, a], [, b]) => a.endUs - b.endUs)
  state.leases.clear()
  for (const [call, lease] of inOrder) state.leases.set(call, lease)
  state.newestUs = undefined
}

function add(state: State, call: string, lease: Lease): State {
  const newest = newestUs(state)
  remove(state, call)
  // Keeps the order even if the clock has stepped back. Leases of other numbers may be longer.
  if (newest <= lease.endUs + slipUs) lease.endUs = Math.max(lease.endUs, newest)
  state.leases.set(call, lease)
  state.units += lease.units
  state.newestUs = lease.endUs
  state.newest = call
  if (newest > lease.endUs) sortByEnd(state)
  return state
}

function setLine(state: State, line: Claims): void {
  state.line = line.length > 0 ? line : undefined
}

function dropEnded(state: State, nowUs: number): void {
  if (state.line !== undefined) setLine(state, liveClaims(state.line, nowUs))
  for (const [call, { endUs }] of state.leases) {
    if (endUs > nowUs) return
    remove(state, call)
  }
}

/** Puts callers into the line, or removes those that leave: they make room for the others of the call. */
function stand(
  state: State,
  callers: readonly LineCaller[],
  { nowUs, leaseUs }: { nowUs: number; leaseUs: number },
): LineOutcome[] {
  const leaving = callers.filter(({ leaves }) => leaves)
  setLine(state, without(state.line ?? [], new Set(leaving.map(({ id }) => id))))
  // A caller that leaves may have a place of which it does not know: it is freed too.
  for (const { id } of leaving) remove(state, id)
  // Some callers hold their places already: the answer that said so was lost.
  const asking = callers.filter(({ leaves, id }) => !leaves && !state.leases.has(id))
  const endUs = nowUs + Math.min(leaseUs, claimUs)
  const { line, outcomes } = withCallers(state.line ?? [], asking, { nowUs, endUs })
  setLine(state, line)
  let at = 0
  return callers.map(({ leaves, id }) => {
    if (leaves) return 'out'
    return state.leases.has(id) ? 'holds' : (outcomes[at++] ?? 'out')
  })
}

function spanOf({ leaseUs, chosen }: Numbers): number | undefined {
  return chosen ? leaseUs : undefined
}

function nothing(): State {
  return { leases: new Map(), units: 0, newestUs: undefined, newest: '' }
}

/**
 * At most `limit` requests in flight at once: a lease is taken when a request begins and released when it is over, by
 * `decision.release()` or, in front of routes, when the response has ended. It does not limit the rate: add a rate policy to the
 * same limiter if short requests can come too often.
 *
 * @example concurrency({ limit: 10 }) // ten exports at once
 */
export const concurrency: (options: ConcurrencyOptions) => Policy<'line'> = strategyFrom<
  ConcurrencyOptions,
  Numbers,
  State,
  LeaseDraft,
  'line'
>({
  name: 'concurrency',
  code: 'co',
  can: ['line'],
  places,
  reserving,
  inFlight: true,
  noBlocks:
    'to be left out, as concurrency refuses while others are in flight, and not for what a key has done (use blockFor on a policy that limits a rate, beside this one)',
  noJitter: 'it is unknown when a place becomes free',
  wants: ['call'],
  options: {
    limit: like(limit, { max: maxEntries, example: 10 }),
    lease: { kind: 'duration', range: ['100ms', '24h'], default: '30s' },
  },
  chosen: asChosen,
  look(numbers, state = nothing(), nowUs, cost) {
    const { limit, leaseUs } = numbers
    const live = liveUnits(state, nowUs)
    const left = Math.max(0, limit - live)
    const endUs = nowUs + leaseUs
    const spanUs = spanOf(numbers)
    if (cost > 0 && live + cost <= limit) {
      const remaining = left - cost
      const resetAfterUs = Math.max(leaseUs, newestUs(state) - nowUs)
      return { allowed: true, limit, remaining, retryAfterUs: 0, resetAfterUs, cost, endUs, spanUs }
    }
    const allowed = cost === 0
    const excess = live + cost - limit
    const retryAfterUs = allowed ? 0 : cost > limit ? null : freeAfterUs(state, nowUs, excess)
    const resetAfterUs = live === 0 ? 0 : newestUs(state) - nowUs
    return { allowed, limit, remaining: left, retryAfterUs, resetAfterUs, cost, endUs, spanUs }
  },
  take(state = nothing(), { cost, endUs, spanUs }, { nowUs, id }) {
    dropEnded(state, nowUs)
    return add(state, id, { endUs, units: Math.min(cost, maxEntries - state.units), spanUs })
  },
  tellsCounts: () => true,
  receipt: ({ newest }) => newest,
  give(state, _units, _nowUs, { receipt }) {
    remove(state, receipt)
    return state.leases.size === 0 && state.line === undefined ? nothing() : state
  },
  renew(state = nothing(), nowUs, { receipt, numbers, charged }) {
    const { limit, leaseUs } = numbers
    const held = (state.leases.get(receipt)?.endUs ?? nowUs) > nowUs
    if (!held && liveUnits(state, nowUs) + charged > limit) return undefined
    dropEnded(state, nowUs)
    const lease = { endUs: nowUs + leaseUs, units: charged, spanUs: spanOf(numbers) }
    return { state: add(state, receipt, lease), held }
  },
  line(state = nothing(), nowUs, { numbers: { limit, leaseUs }, callers }) {
    dropEnded(state, nowUs)
    const outcomes = stand(state, callers, { nowUs, leaseUs })
    const places = new Map(callers.map(({ id, stands }, nth) => [id, stands ? -1 : nth]))
    const endUs = Math.max(nowUs + leaseUs, newestUs(state))
    const served = new Set<string>()
    for (const { id, units } of fitting(state.line ?? [], limit - state.units)) {
      const nth = places.get(id) ?? -1
      if (nth < 0) continue
      served.add(id)
      add(state, id, { endUs, units })
      outcomes[nth] = 'holds'
    }
    setLine(state, without(state.line ?? [], served))
    return { state, outcomes }
  },
  repair({ leaseUs, chosen }, state, nowUs) {
    const latestUs = nowUs + leaseUs
    if (newestUs(state) <= latestUs + slipUs) return state
    // Each lease is cut to what its own numbers allow. A chosen policy does not know the limiter's own, and leaves their leases as is.
    const othersUs = chosen ? Number.POSITIVE_INFINITY : latestUs
    for (const lease of state.leases.values())
      lease.endUs = Math.min(
        lease.endUs,
        lease.spanUs === undefined ? othersUs : Math.max(latestUs, nowUs + lease.spanUs),
      )
    for (const claim of state.line ?? []) claim.endUs = Math.min(claim.endUs, othersUs)
    sortByEnd(state)
    return { ...state }
  },
  idleUs: (_numbers, state, nowUs) => newestUs(state) - nowUs,
  redis: inRedis(({ limit, leaseUs, chosen }) => [limit, leaseUs, chosen ? 1 : 0]),
})
