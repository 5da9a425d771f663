import type { Policy } from '../policy.ts'
import { reserving } from '../reserving/reserving.ts'
import type { Duration } from '../units.ts'
import type { BlockFor } from './block-for.ts'
import {
  asChosen,
  type Debt,
  limit,
  type MaybeChosen,
  maxDebt,
  period,
  rateAbilities,
  shareOf,
} from './common-options.ts'
import { type StrategyDraft, slipUs } from './definition.ts'
import {
  lastUs,
  lookAtRates,
  type Mixed,
  otherParts,
  othersAfter,
  othersUntil,
  type Rate,
  type Seen,
  seenBy,
} from './mixed-rates.ts'
import { RowShape } from './row-shape.ts'
import { inRedis, strategyFrom } from './strategy-from.ts'
import type { Fractions } from './unit.ts'
import { fitsWindow } from './window.ts'

export interface GcraOptions extends Debt {
  /** Units per period in the long run; 0 refuses all. */
  count: number
  /** Such as '1m'; a number is milliseconds. */
  period: Duration
  /** Units beyond the first that a fresh key may use at once. @default count − 1: a fresh key gets `count` at once */
  burst?: number | undefined
}

export interface Numbers extends MaybeChosen {
  /** Time that one unit costs: the emission interval T. */
  readonly intervalUs: number
  readonly capacity: number
  /** capacity · interval: how far ahead a check may move the theoretical arrival time. */
  readonly toleranceUs: number
  readonly maxDebtUs: number
}

interface State {
  /** Theoretical arrival time (TAT): when the full limit is available again. */
  tatUs: number
  /** Time given back so far, while it matters. */
  backUs: number
  /** Time that each of its units has cost. */
  intervalUs: number
  /** Once policies were chosen for calls: the charges at other rates. */
  mixed: Mixed | undefined
}

/** A draft contains the state after a take. A class for the same reason as RowShape. */
class GcraDraft implements StrategyDraft, State {
  declare allowed: boolean
  declare limit: number
  declare remaining: number
  declare retryAfterUs: number | null
  declare resetAfterUs: number
  declare tatUs: number
  declare backUs: number
  declare intervalUs: number
  declare mixed: Mixed | undefined
}

/** The furthest TAT: the tolerance and the largest debt ahead of now. */
function horizonOf(numbers: Numbers, nowUs: number): number {
  return nowUs + numbers.toleranceUs + numbers.maxDebtUs
}

/** Time given back so far that still matters. */
function backOf(state: State | undefined, nowUs: number): number {
  return state === undefined || state.tatUs + state.backUs <= nowUs ? 0 : state.backUs
}

function isMixed(numbers: Numbers, state: State): boolean {
  return numbers.chosen === true || state.mixed !== undefined
}

/** A microsecond that has passed pays for one of the `intervalUs` parts of a unit. */
function rateOf({ intervalUs }: Numbers): Rate {
  return { flow: 1, parts: intervalUs }
}

/** What is stored, as a call with these numbers sees it. */
function seen(numbers: Numbers, state: State, nowUs: number): Seen {
  const main = { untilUs: state.tatUs, flow: 1, parts: state.intervalUs }
  return seenBy(rateOf(numbers), main, state.mixed, nowUs)
}

/** How far ahead charges may lie: as far as any of the numbers let them. */
function reachOf(numbers: Numbers, { mixed, tatUs }: State, nowUs: number): number {
  return Math.max(mixed?.reachUs ?? tatUs - nowUs, horizonOf(numbers, 0))
}

function lookMixed(numbers: Numbers, state: State, nowUs: number, cost: number): GcraDraft {
  const { intervalUs, toleranceUs, capacity: limit } = numbers
  const { mineUs, others } = seen(numbers, state, nowUs)
  const { allowed, remaining, retryAfterUs, resetAfterUs, used } = lookAtRates(
    rateOf(numbers),
    { used: mineUs - nowUs, others },
    { cost, nowUs, full: toleranceUs, most: horizonOf(numbers, 0) },
  )
  const backUs = state.intervalUs === intervalUs ? backOf(state, nowUs) : 0
  const mixed = { others, reachUs: reachOf(numbers, state, nowUs) }
  const tatUs = nowUs + used
  return { allowed, limit, remaining, retryAfterUs, resetAfterUs, tatUs, backUs, intervalUs, mixed }
}

/** Gives units back: first those that were charged at the call's own rate, then those at others. */
function rewardMixed(numbers: Numbers, state: State, units: number, nowUs: number): State {
  const { intervalUs } = numbers
  const { mineUs, others } = seen(numbers, state, nowUs)
  const restoredUs = Math.min(units * intervalUs, mineUs - nowUs)
  const rest = othersAfter(others, units - Math.ceil(restoredUs / intervalUs), nowUs)
  const backUs = (state.intervalUs === intervalUs ? backOf(state, nowUs) : 0) + restoredUs
  return {
    tatUs: mineUs - restoredUs,
    backUs,
    intervalUs,
    mixed: { others: rest, reachUs: reachOf(numbers, state, nowUs) },
  }
}

/** Repairs a state after a step back of the clock: no charge lies further ahead than any of the numbers allow. */
function repairMixed(numbers: Numbers, state: State, mixed: Mixed, nowUs: number): State {
  const furthestUs = Math.max(nowUs + mixed.reachUs, horizonOf(numbers, nowUs))
  const latestUs = furthestUs + slipUs
  if (state.tatUs <= latestUs && lastUs(mixed) <= latestUs) return state
  return { ...state, tatUs: Math.min(state.tatUs, furthestUs), mixed: othersUntil(mixed, furthestUs) }
}

/** `mixed` of a key's first charge; undefined unless the policy was chosen for the call. */
function mixedAtFirst(numbers: Numbers): Mixed | undefined {
  return numbers.chosen ? { others: [], reachUs: horizonOf(numbers, 0) } : undefined
}

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

/** The count of the first interval from `fromUs` on whose rate stays when it is rounded; undefined if no interval is left. */
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
  // Above one unit per microsecond no shorter interval is left, so there is only the first of these counts.
  const counts = [
    nearestCount(periodUs, Math.ceil(exactUs), 1),
    nearestCount(periodUs, Math.floor(exactUs), -1),
  ]
  const near = counts.filter(Boolean).join(' or ')
  return `a rate of whole microseconds per unit within 0.5 % (nearest: ${near}; tokenBucket takes any rate)`
}

/** The TAT under numbers that the operator has changed: a faster rate keeps the units, a slower one the time. */
function atNewRate({ intervalUs }: Numbers, state: State, nowUs: number): number {
  const { tatUs } = state
  return state.intervalUs <= intervalUs || tatUs <= nowUs
    ? tatUs
    : nowUs + Math.ceil(((tatUs - nowUs) * intervalUs) / state.intervalUs)
}

/** The receipt of a charge: the TAT after it, and the time that had been given back by then. */
function receiptOf(tatUs: number, backUs: number): string | number {
  return backUs === 0 ? tatUs : `${tatUs}:${backUs}`
}

/** Added to the interval's mark if the policy was chosen for the call. */
const chosenMark = 1000

/** An interval of at most two digits and zeros, as three digits: MME for MM · 10^E, so that a state can name it; 0 for any other. */
function markOf(intervalUs: number): number {
  for (let power = 0; power <= 9; power++) {
    const digits = intervalUs / 10 ** power
    if (digits <= 99) return Number.isInteger(digits) ? digits * 10 + power : 0
  }
  return 0
}

/**
 * Generic cell rate algorithm: `count` per `period` in the long run, plus `burst`; one timestamp per key.
 * The five numbers are redis-cell's. Use `tokenBucket` if the interval is not a whole number of microseconds.
 *
 * @example gcra({ count: 100, period: '1m' }) // a fresh key may send 100 at once, then one every 600 ms
 */
export const gcra: (
  options: GcraOptions & BlockFor & Fractions,
) => Policy<'reserve' | 'refund' | 'penalize' | 'reward'> = strategyFrom<
  GcraOptions,
  Numbers,
  State,
  GcraDraft,
  'reserve' | 'refund' | 'penalize' | 'reward'
>({
  name: 'gcra',
  code: 'gc',
  can: rateAbilities,
  reserving,
  refusalsLast: true,
  options: {
    count: limit,
    period,
    burst: {
      kind: 'count',
      min: 0,
      // With a count of 0 not even a burst passes.
      max: ({ count, periodUs }) =>
        count && Math.floor(maxToleranceUs / nearestIntervalUs(count, periodUs)) - 1,
      default: { words: '`count` − 1', of: ({ count }) => Math.max(0, count - 1) },
      scales: 'extra',
      example: 20,
    },
    maxDebt,
  },
  numbers({ count, periodUs, burst, maxDebtUs }, bad) {
    const rate = count || 1
    const edge = rateWithoutEdge(rate, periodUs)
    if (edge !== undefined) bad('count', edge)
    const intervalUs = nearestIntervalUs(rate, periodUs)
    const capacity = count && burst + 1
    return { intervalUs, capacity, toleranceUs: capacity * intervalUs, maxDebtUs }
  },
  limitOf: ({ capacity }) => capacity,
  windowUsOf: ({ toleranceUs, intervalUs }) => toleranceUs || intervalUs,
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
  chosen: asChosen,
  look(numbers, state, nowUs, cost) {
    if (state !== undefined && isMixed(numbers, state)) return lookMixed(numbers, state, nowUs, cost)
    const { intervalUs, toleranceUs, capacity: limit } = numbers
    const mixed = mixedAtFirst(numbers)
    const backUs = backOf(state, nowUs)
    const baseUs = state === undefined || state.tatUs < nowUs ? nowUs : state.tatUs
    const tatUs = baseUs + cost * intervalUs
    const slackUs = nowUs + toleranceUs - tatUs
    const fits = slackUs >= 0
    const allowed = fits || cost === 0
    const leftUs = fits ? slackUs : Math.max(0, nowUs + toleranceUs - baseUs)
    const draft = new GcraDraft()
    draft.allowed = allowed
    draft.limit = limit
    draft.remaining = Math.floor(leftUs / intervalUs)
    draft.retryAfterUs = allowed ? 0 : cost * intervalUs > toleranceUs ? null : -slackUs
    draft.resetAfterUs = (fits ? tatUs : baseUs) - nowUs
    draft.tatUs = allowed ? tatUs : Math.max(baseUs, Math.min(tatUs, horizonOf(numbers, nowUs)))
    draft.backUs = backUs
    draft.intervalUs = intervalUs
    draft.mixed = mixed
    return draft
  },
  take: (_state, draft) => draft,
  receipt: ({ tatUs, backUs }) => receiptOf(tatUs, backUs),
  give(state, units, nowUs, { receipt, numbers }) {
    if (state.intervalUs !== numbers.intervalUs) return state
    const [mineUs = 0, mineBackUs = 0] = receipt.split(':').map(Number)
    const backUs = backOf(state, nowUs)
    // There may be a reservation: promised times must not move.
    const { others } = seen(numbers, state, nowUs)
    const aheadUs = state.tatUs - nowUs + otherParts(others, rateOf(numbers), nowUs)
    const held = aheadUs > numbers.toleranceUs
    if (backUs < mineBackUs || (held && state.tatUs > mineUs)) return state
    const freeUs = held ? Number.POSITIVE_INFINITY : mineUs - (backUs - mineBackUs) - nowUs
    const restoredUs = Math.min(units * numbers.intervalUs, state.tatUs - nowUs, freeUs)
    if (restoredUs <= 0) return state
    return { ...state, tatUs: state.tatUs - restoredUs, backUs: backUs + restoredUs }
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
    if (state === undefined) {
      // A limit of 0 may have nothing to raise: then nothing is stored.
      if (raisedUs <= nowUs) return undefined
      return { tatUs: raisedUs, backUs: 0, intervalUs, mixed: mixedAtFirst(numbers) }
    }
    const { tatUs, backUs, mixed } = this.look(numbers, state, nowUs, 0)
    return raisedUs > tatUs ? { tatUs: raisedUs, backUs, intervalUs, mixed } : state
  },
  spacingUs: ({ intervalUs }, cost) => cost * intervalUs,
  repair(numbers, state, nowUs) {
    if (state.mixed !== undefined) return repairMixed(numbers, state, state.mixed, nowUs)
    if (numbers.chosen) return state
    const keptUs = atNewRate(numbers, state, nowUs)
    const furthestUs = horizonOf(numbers, nowUs)
    const tatUs = keptUs > furthestUs + slipUs ? furthestUs : keptUs
    if (tatUs === state.tatUs) return state
    // Nobody knows whose charges were cut off. All of the old debt counts as given back, so that no refund gives any of it back again.
    const backUs = backOf(state, nowUs) + state.tatUs - nowUs
    return { tatUs, backUs, intervalUs: numbers.intervalUs, mixed: undefined }
  },
  idleUs: (_numbers, { tatUs, backUs, mixed }, nowUs) => Math.max(tatUs + backUs, lastUs(mixed)) - nowUs,
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
    takeOne({ intervalUs, toleranceUs, capacity }, values, at, nowUs) {
      const stored = values[at] ?? 0
      const kept = values[at + 1] ?? 0
      const backUs = stored + kept <= nowUs ? 0 : kept
      const baseUs = Math.max(stored, nowUs)
      const tatUs = baseUs + intervalUs
      const slackUs = nowUs + toleranceUs - tatUs
      if (capacity === 0) return undefined
      if (slackUs < 0) return new RowShape(capacity, 0, baseUs - nowUs, '', 'limited', -slackUs, 0)
      values[at] = tatUs
      values[at + 1] = backUs
      return new RowShape<'limited'>(
        capacity,
        Math.floor(slackUs / intervalUs),
        tatUs - nowUs,
        receiptOf(tatUs, backUs),
        null,
        0,
        0,
      )
    },
  },
  redis: inRedis(({ intervalUs, toleranceUs, maxDebtUs, chosen }) => [
    intervalUs,
    toleranceUs,
    toleranceUs + maxDebtUs,
    markOf(intervalUs) + (chosen ? chosenMark : 0),
  ]),
})
