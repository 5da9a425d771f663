import type { Policy } from '../policy.ts'
import { reserving } from '../reserving/reserving.ts'
import type { Duration } from '../units.ts'
import type { BlockFor } from './block-for.ts'
import { count, type Debt, maxDebt, period, rateAbilities, shareOf } from './common-options.ts'
import { slipUs } from './definition.ts'
import {
  backOf,
  GcraDraft,
  horizonOf,
  isMixed,
  lookMixed,
  mixedAtFirst,
  type Numbers,
  rateOf,
  repairMixed,
  rewardMixed,
  type State,
  seen,
} from './gcra-state.ts'
import { lastUs, type Mixed, otherParts } from './mixed-rates.ts'
import { RowShape } from './row-shape.ts'
import { inRedis, strategyFrom } from './strategy-from.ts'
import type { Fractions } from './unit.ts'
import { fitsWindow } from './window.ts'

export interface GcraOptions extends Debt {
  /** Units per period in the long run; 0 refuses all. */
  count: number
  period: Duration
  /** Units beyond the first that a fresh key may use at once. @default count − 1: a fresh key gets `count` at once */
  burst?: number | undefined
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
    count,
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
  chosen: (numbers) => ({ ...numbers, chosen: true }),
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
    if (numbers.chosen === true) return state
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
    markOf(intervalUs) + (chosen === true ? chosenMark : 0),
  ]),
})
