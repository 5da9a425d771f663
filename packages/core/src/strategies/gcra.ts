import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import { fitsWindow } from './ahead.ts'
import type { BlockFor } from './block-for.ts'
import { count, maxDebt, period } from './common-options.ts'
import type { Debt } from './debt.ts'
import { defineStrategy, type StrategyDraft } from './definition.ts'
import { type Mixed, mixedOf, mixedWaitUs, otherAfter, otherParts, type Seen, seenBy } from './held.ts'
import { inRedis } from './in-redis.ts'
import { rateWindow, rateWords } from './picture.ts'
import { shareOf } from './share.ts'
import { slipUs } from './slip.ts'

export interface GcraOptions extends Debt {
  /** Units per period in the long run. */
  count: number
  period: Duration
  /** Units beyond the first that a fresh key may use at once. @default count − 1: a fresh key gets `count` at once */
  burst?: number | undefined
}

interface Numbers {
  /** Time that one unit costs: the emission interval T. */
  readonly intervalUs: number
  readonly capacity: number
  /** capacity · interval: how far ahead a check may move the theoretical arrival time. */
  readonly toleranceUs: number
  readonly maxDebtUs: number
  /** The policy was chosen for one call. */
  readonly chosen?: true
}

interface State {
  /** Theoretical arrival time (TAT): when the full limit is available again. */
  tatUs: number
  /** Time given back so far, while it matters. */
  backUs: number
  /** Time that each of its units has cost. */
  intervalUs: number
  /** Where policies were chosen for calls: the charge at another rate. */
  mixed: Mixed | undefined
}

/** A draft contains the state after a take. */
interface GcraDraft extends StrategyDraft, State {}

const maxToleranceUs = 100 * 366 * 86_400e6

/** T rounded to the nearest µs, as in redis-cell. */
function nearestIntervalUs(count: number, periodUs: number): number {
  return Math.max(1, Math.round(periodUs / count))
}

/** Whether rounding keeps the rate, within 0.5 %. */
function staysWhenRounded(count: number, periodUs: number): boolean {
  const exact = periodUs / count
  return Math.abs(exact - nearestIntervalUs(count, periodUs)) / exact <= 0.005
}

/** The count whose rate stays and whose interval is the first from `fromUs` on; undefined if no interval is left. */
function nearestCount(periodUs: number, fromUs: number, stepUs: 1 | -1): number | undefined {
  for (let intervalUs = fromUs; intervalUs >= 1; intervalUs += stepUs) {
    const count = Math.round(periodUs / intervalUs)
    if (staysWhenRounded(count, periodUs)) return count
  }
  return undefined
}

/** For a rate that rounding would change: what is expected instead. undefined for a rate that stays. */
function rateWithoutEdge(count: number, periodUs: number): string | undefined {
  if (staysWhenRounded(count, periodUs)) return undefined
  const exactUs = periodUs / count
  // Above one unit per microsecond there is no count but that one.
  const counts = [
    nearestCount(periodUs, Math.ceil(exactUs), 1),
    nearestCount(periodUs, Math.floor(exactUs), -1),
  ]
  const near = counts.filter((each) => each !== undefined).join(' or ')
  return `a rate of whole microseconds per unit within 0.5 % (nearest: ${near}; tokenBucket takes any rate)`
}

/** The furthest TAT: the tolerance and the largest debt ahead of now. */
function horizonOf(numbers: Numbers, nowUs: number): number {
  return nowUs + numbers.toleranceUs + numbers.maxDebtUs
}

function isMixed(numbers: Numbers, state: State): boolean {
  return numbers.chosen === true || state.mixed !== undefined
}

/** What is stored, as a call with these numbers sees it. */
function seen({ intervalUs }: Numbers, state: State, nowUs: number): Seen {
  const main = { untilUs: state.tatUs, flow: 1, parts: state.intervalUs }
  return seenBy({ flow: 1, parts: intervalUs }, main, state.mixed, nowUs)
}

/** How far ahead charges may lie: as far as any of the numbers let them. */
function reachOf(numbers: Numbers, { mixed, tatUs }: State, nowUs: number): number {
  return Math.max(mixed?.reachUs ?? tatUs - nowUs, horizonOf(numbers, 0))
}

/** Charges at two rates: each drains at its own, and together they take up the capacity. */
function lookMixed(numbers: Numbers, state: State, nowUs: number, cost: number): GcraDraft {
  const { intervalUs, toleranceUs, capacity: limit } = numbers
  const rate = { flow: 1, parts: intervalUs }
  const { mineUs, other } = seen(numbers, state, nowUs)
  const aheadUs = mineUs - nowUs
  const addedUs = cost * intervalUs
  const roomUs = toleranceUs - aheadUs - otherParts(other, rate, nowUs)
  const backUs = state.intervalUs === intervalUs ? backOf(state, nowUs) : 0
  const mixed = mixedOf(other, reachOf(numbers, state, nowUs))
  const otherUs = mixed.untilUs - nowUs
  if (addedUs <= roomUs || cost === 0) {
    const left = Math.max(0, Math.floor((roomUs - addedUs) / intervalUs))
    const resetAfterUs = Math.max(aheadUs + addedUs, otherUs)
    const tatUs = mineUs + addedUs
    const allowed = { allowed: true, limit, remaining: left, retryAfterUs: 0, resetAfterUs }
    return { ...allowed, tatUs, backUs, intervalUs, mixed }
  }
  const remaining = Math.max(0, Math.floor(roomUs / intervalUs))
  const wanted = { used: aheadUs, other, room: toleranceUs - addedUs }
  const retryAfterUs = addedUs > toleranceUs ? null : mixedWaitUs(rate, wanted, nowUs)
  const resetAfterUs = Math.max(aheadUs, otherUs)
  // Who reserves passes when the wait is over, and is charged from then on.
  const fromUs = Math.max(mineUs, nowUs + (retryAfterUs ?? 0))
  const tatUs = Math.max(mineUs, Math.min(fromUs + addedUs, horizonOf(numbers, nowUs)))
  const refused = { allowed: false, limit, remaining, retryAfterUs, resetAfterUs }
  return { ...refused, tatUs, backUs, intervalUs, mixed }
}

/** Its own charge first, then the other one. */
function rewardMixed(numbers: Numbers, state: State, units: number, nowUs: number): State {
  const { intervalUs } = numbers
  const { mineUs, other } = seen(numbers, state, nowUs)
  const restoredUs = Math.min(units * intervalUs, mineUs - nowUs)
  const rest = otherAfter(other, units - Math.ceil(restoredUs / intervalUs), nowUs)
  const backUs = (state.intervalUs === intervalUs ? backOf(state, nowUs) : 0) + restoredUs
  return {
    tatUs: mineUs - restoredUs,
    backUs,
    intervalUs,
    mixed: mixedOf(rest, reachOf(numbers, state, nowUs)),
  }
}

/** Numbers that the operator has changed: a faster rate keeps the units, a slower one the time. */
function atNewRate({ intervalUs }: Numbers, state: State, nowUs: number): State {
  if (state.intervalUs <= intervalUs || state.tatUs <= nowUs) return state
  const aheadUs = Math.ceil(((state.tatUs - nowUs) * intervalUs) / state.intervalUs)
  return { tatUs: nowUs + aheadUs, backUs: 0, intervalUs, mixed: undefined }
}

/** The clock has stepped back: nothing lies further ahead than any of the numbers let it. */
function repairMixed(numbers: Numbers, state: State, mixed: Mixed, nowUs: number): State {
  const furthestUs = Math.max(nowUs + mixed.reachUs, horizonOf(numbers, nowUs))
  const latestUs = furthestUs + slipUs
  if (state.tatUs <= latestUs && mixed.untilUs <= latestUs) return state
  const untilUs = Math.min(mixed.untilUs, furthestUs)
  return { ...state, tatUs: Math.min(state.tatUs, furthestUs), mixed: { ...mixed, untilUs } }
}

/** What a key holds that policies were chosen for, from its first charge on. */
function mixedAtFirst(numbers: Numbers): Mixed | undefined {
  return numbers.chosen === true ? mixedOf(undefined, horizonOf(numbers, 0)) : undefined
}

/** An interval of at most two digits and zeros as three digits, MME for MM · 10^E, so that a state says it; 0 for any other. */
function markOf(intervalUs: number): number {
  for (let power = 0; power <= 9; power++) {
    const digits = intervalUs / 10 ** power
    if (digits <= 99) return Number.isInteger(digits) ? digits * 10 + power : 0
  }
  return 0
}

/** Time given back so far that still matters. */
function backOf(state: State | undefined, nowUs: number): number {
  return state === undefined || state.tatUs + state.backUs <= nowUs ? 0 : state.backUs
}

/**
 * Generic cell rate algorithm: `count` per `period` in the long run, plus `burst`; one timestamp per key.
 * The five numbers are redis-cell's. Use `tokenBucket` if the interval is not a whole number of microseconds.
 *
 * @example gcra({ count: 100, period: '1m' }) // a fresh key may send 100 at once, then one every 600 ms
 */
export const gcra: (options: GcraOptions & BlockFor) => Policy<'reserve' | 'refund' | 'penalize' | 'reward'> =
  defineStrategy<GcraOptions, Numbers, State, GcraDraft, 'reserve' | 'refund' | 'penalize' | 'reward'>({
    name: 'gcra',
    code: 'gc',
    can: ['reserve', 'refund', 'penalize', 'reward'],
    refusalsLast: true,
    about: 'An average of `count` units per period, evenly spread, plus a burst.',
    options: {
      count,
      period,
      burst: {
        kind: 'count',
        about: 'Units beyond the first that a fresh key may use at once.',
        min: 0,
        max: ({ count, periodUs }) => Math.floor(maxToleranceUs / nearestIntervalUs(count, periodUs)) - 1,
        default: { words: '`count` − 1', of: ({ count }) => count - 1 },
        scales: 'extra',
        example: 20,
      },
      maxDebt,
    },
    numbers({ count, periodUs, burst, maxDebtUs }, bad) {
      const edge = rateWithoutEdge(count, periodUs)
      if (edge !== undefined) bad('count', edge)
      const intervalUs = nearestIntervalUs(count, periodUs)
      const capacity = burst + 1
      return { intervalUs, capacity, toleranceUs: capacity * intervalUs, maxDebtUs }
    },
    limitOf: ({ capacity }) => capacity,
    windowUsOf: ({ toleranceUs }) => toleranceUs,
    picture: ({ intervalUs, capacity, toleranceUs }) => ({
      title: 'GCRA',
      rule: `${rateWords(1 / intervalUs)}, burst ${capacity - 1}`,
      windowUs: rateWindow(toleranceUs),
      most: capacity,
      mostIn: (spanUs) => capacity + Math.floor(spanUs / intervalUs),
      shape: 'none',
    }),
    ahead: {
      numbers(numbers, us) {
        const toleranceUs = numbers.toleranceUs - us
        return toleranceUs >= numbers.intervalUs && fitsWindow(numbers.toleranceUs, us)
          ? { ...numbers, toleranceUs }
          : undefined
      },
    },
    share(numbers, processes) {
      const intervalUs = numbers.intervalUs * processes
      const capacity = shareOf(numbers.capacity, processes)
      return { ...numbers, intervalUs, capacity, toleranceUs: capacity * intervalUs }
    },
    chosen: (numbers) => ({ ...numbers, chosen: true }),
    look(numbers, state, nowUs, cost) {
      if (state !== undefined && isMixed(numbers, state)) return lookMixed(numbers, state, nowUs, cost)
      const { intervalUs, toleranceUs, capacity: limit } = numbers
      const mixed = mixedAtFirst(numbers)
      const backUs = backOf(state, nowUs)
      const baseUs = state === undefined || state.tatUs < nowUs ? nowUs : state.tatUs
      const tatUs = baseUs + cost * intervalUs
      const slackUs = nowUs + toleranceUs - tatUs
      if (slackUs >= 0) {
        const remaining = Math.floor(slackUs / intervalUs)
        return {
          allowed: true,
          limit,
          remaining,
          retryAfterUs: 0,
          resetAfterUs: tatUs - nowUs,
          tatUs,
          backUs,
          intervalUs,
          mixed,
        }
      }
      const remaining = Math.max(0, Math.floor((toleranceUs - baseUs + nowUs) / intervalUs))
      const resetAfterUs = baseUs - nowUs
      const stands = { limit, remaining, resetAfterUs, backUs, intervalUs, mixed }
      if (cost === 0) return { ...stands, allowed: true, retryAfterUs: 0, tatUs }
      const retryAfterUs = cost * intervalUs > toleranceUs ? null : -slackUs
      const drafted = Math.max(baseUs, Math.min(tatUs, horizonOf(numbers, nowUs)))
      return { ...stands, allowed: false, retryAfterUs, tatUs: drafted }
    },
    take: (_state, draft) => draft,
    receipt: ({ tatUs, backUs }) => (backUs === 0 ? tatUs : `${tatUs}:${backUs}`),
    give(state, units, nowUs, { receipt, numbers }) {
      if (state.intervalUs !== numbers.intervalUs) return state
      const [mineUs = 0, mineBackUs = 0] = receipt.split(':').map(Number)
      const backUs = backOf(state, nowUs)
      // There may be a reservation: promised times must not move.
      const { other } = seen(numbers, state, nowUs)
      const aheadUs = state.tatUs - nowUs + otherParts(other, { flow: 1, parts: numbers.intervalUs }, nowUs)
      const held = aheadUs > numbers.toleranceUs
      if (backUs < mineBackUs || (held && state.tatUs > mineUs)) return state
      const freeUs = held ? Number.POSITIVE_INFINITY : mineUs - (backUs - mineBackUs) - nowUs
      const restoredUs = Math.min(units * numbers.intervalUs, state.tatUs - nowUs, freeUs)
      if (restoredUs <= 0) return state
      const { intervalUs, mixed } = state
      return { tatUs: state.tatUs - restoredUs, backUs: backUs + restoredUs, intervalUs, mixed }
    },
    reward(numbers, state, units, nowUs) {
      if (isMixed(numbers, state)) return rewardMixed(numbers, state, units, nowUs)
      const restoredUs = Math.min(units * numbers.intervalUs, state.tatUs - nowUs)
      if (restoredUs <= 0) return state
      const backUs = backOf(state, nowUs) + restoredUs
      return { tatUs: state.tatUs - restoredUs, backUs, intervalUs: numbers.intervalUs, mixed: undefined }
    },
    raise(numbers, state, waitUs, nowUs) {
      const { intervalUs, toleranceUs } = numbers
      const raisedUs = Math.min(nowUs + waitUs + toleranceUs - intervalUs, horizonOf(numbers, nowUs))
      if (state === undefined)
        return { tatUs: Math.max(nowUs, raisedUs), backUs: 0, intervalUs, mixed: mixedAtFirst(numbers) }
      const { tatUs, backUs, mixed } = this.look(numbers, state, nowUs, 0)
      return raisedUs > tatUs ? { tatUs: raisedUs, backUs, intervalUs, mixed } : state
    },
    spacingUs: ({ intervalUs }, cost) => cost * intervalUs,
    repair(numbers, state, nowUs) {
      if (state.mixed !== undefined) return repairMixed(numbers, state, state.mixed, nowUs)
      if (numbers.chosen === true) return state
      const kept = atNewRate(numbers, state, nowUs)
      const furthestUs = horizonOf(numbers, nowUs)
      if (kept.tatUs <= furthestUs + slipUs) return kept
      return { tatUs: furthestUs, backUs: kept.backUs, intervalUs: numbers.intervalUs, mixed: undefined }
    },
    idleUs: (_numbers, { tatUs, backUs, mixed }, nowUs) =>
      Math.max(tatUs + backUs, mixed?.untilUs ?? 0) - nowUs,
    packed: {
      width: 3,
      rest: {
        of: ({ mixed }) => mixed,
        into(state, mixed) {
          state.mixed = mixed as Mixed | undefined // as `of` gave it
        },
      },
      blank: () => ({ tatUs: 0, backUs: 0, intervalUs: 0, mixed: undefined }),
      load(values, at, state) {
        state.tatUs = values[at] ?? 0
        state.backUs = values[at + 1] ?? 0
        state.intervalUs = values[at + 2] ?? 0
      },
      save(values, at, { tatUs, backUs, intervalUs }) {
        values[at] = tatUs
        values[at + 1] = backUs
        values[at + 2] = intervalUs
      },
    },
    redis: inRedis(({ intervalUs, toleranceUs, maxDebtUs, chosen }) => [
      intervalUs,
      toleranceUs,
      toleranceUs + maxDebtUs,
      markOf(intervalUs),
      chosen === true ? 1 : 0,
    ]),
  })
