import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import { fitsWindow } from './ahead.ts'
import type { BlockFor } from './block-for.ts'
import { count, maxDebt, period } from './common-options.ts'
import type { Debt } from './debt.ts'
import { defineStrategy, type StrategyDraft } from './definition.ts'
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
}

interface State {
  /** Theoretical arrival time (TAT): when the full limit is available again. */
  tatUs: number
  /** Time given back so far, while it matters. */
  backUs: number
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
    look(numbers, state, nowUs, cost) {
      const { intervalUs, toleranceUs, capacity: limit } = numbers
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
        }
      }
      const remaining = Math.max(0, Math.floor((toleranceUs - baseUs + nowUs) / intervalUs))
      const resetAfterUs = baseUs - nowUs
      if (cost === 0) return { allowed: true, limit, remaining, retryAfterUs: 0, resetAfterUs, tatUs, backUs }
      const retryAfterUs = cost * intervalUs > toleranceUs ? null : -slackUs
      const drafted = Math.max(baseUs, Math.min(tatUs, horizonOf(numbers, nowUs)))
      return { allowed: false, limit, remaining, retryAfterUs, resetAfterUs, tatUs: drafted, backUs }
    },
    take: (_state, draft) => draft,
    receipt: ({ tatUs, backUs }) => (backUs === 0 ? tatUs : `${tatUs}:${backUs}`),
    give(state, units, nowUs, { receipt, numbers }) {
      const [mineUs = 0, mineBackUs = 0] = receipt.split(':').map(Number)
      const backUs = backOf(state, nowUs)
      // There may be a reservation: promised times must not move.
      const held = state.tatUs - numbers.toleranceUs > nowUs
      if (backUs < mineBackUs || (held && state.tatUs > mineUs)) return state
      const freeUs = held ? Number.POSITIVE_INFINITY : mineUs - (backUs - mineBackUs) - nowUs
      const restoredUs = Math.min(units * numbers.intervalUs, state.tatUs - nowUs, freeUs)
      return restoredUs > 0 ? { tatUs: state.tatUs - restoredUs, backUs: backUs + restoredUs } : state
    },
    reward({ intervalUs }, state, units, nowUs) {
      const restoredUs = Math.min(units * intervalUs, state.tatUs - nowUs)
      if (restoredUs <= 0) return state
      return { tatUs: state.tatUs - restoredUs, backUs: backOf(state, nowUs) + restoredUs }
    },
    raise(numbers, state, waitUs, nowUs) {
      const wishedUs = nowUs + waitUs + numbers.toleranceUs - numbers.intervalUs
      const tatUs = Math.max(state?.tatUs ?? nowUs, Math.min(wishedUs, horizonOf(numbers, nowUs)))
      return { tatUs, backUs: backOf(state, nowUs) }
    },
    spacingUs: ({ intervalUs }, cost) => cost * intervalUs,
    repair(numbers, state, nowUs) {
      const furthestUs = horizonOf(numbers, nowUs)
      return state.tatUs > furthestUs + slipUs ? { tatUs: furthestUs, backUs: state.backUs } : state
    },
    idleUs: (_numbers, { tatUs, backUs }, nowUs) => tatUs + backUs - nowUs,
    packed: {
      width: 2,
      blank: () => ({ tatUs: 0, backUs: 0 }),
      load(values, at, state) {
        state.tatUs = values[at] ?? 0
        state.backUs = values[at + 1] ?? 0
      },
      save(values, at, { tatUs, backUs }) {
        values[at] = tatUs
        values[at + 1] = backUs
      },
    },
    redis: inRedis(({ intervalUs, toleranceUs, maxDebtUs }) => [
      intervalUs,
      toleranceUs,
      toleranceUs + maxDebtUs,
    ]),
  })
