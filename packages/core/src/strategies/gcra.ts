import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import { count, maxDebt, period } from './common-options.ts'
import type { Debt } from './debt.ts'
import { type Draft, defineStrategy } from './definition.ts'
import { gcraLua } from './lua.generated.ts'
import { rateWindowUs, rateWords } from './picture.ts'
import { shareOf } from './share.ts'
import { slipUs } from './slip.ts'

export interface GcraOptions extends Debt {
  /** Units per period in the long run. */
  count: number
  period: Duration
  /** Units beyond the first that a fresh key may take at once. @default count − 1: a fresh key gets `count` at once */
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
  /** Theoretical arrival time (TAT): when the key is as good as new. */
  tatUs: number
  /** Given back so far, as long as it matters. */
  backUs: number
}

/** A draft holds the state that a take leaves. */
interface GcraDraft extends Draft, State {}

const longestUs = 100 * 366 * 86_400e6

/** The whole µs nearest to T, which is what redis-cell's answers equal. */
function nearestIntervalUs(count: number, periodUs: number): number {
  return Math.max(1, Math.round(periodUs / count))
}

/** Rates that rounding would move: the nearest ones that it would not; undefined for a rate that stays. */
function rateWithoutEdge(count: number, periodUs: number): string | undefined {
  const exact = periodUs / count
  const rounded = Math.round(exact)
  if (rounded >= 1 && Math.abs(exact - rounded) / exact <= 0.005) return undefined
  const below = Math.floor(periodUs / Math.max(1, Math.ceil(exact)))
  const above = Math.floor(periodUs / Math.max(1, Math.floor(exact)))
  return `a rate of whole microseconds per unit within 0.5 % (nearest: ${below} or ${above}; tokenBucket has no such edge)`
}

/** Time by which the tolerance is in debt once the wished TAT is cut to the horizon. */
function horizonOf(numbers: Numbers, nowUs: number): number {
  return nowUs + numbers.toleranceUs + numbers.maxDebtUs
}

/** What was given back so far and still matters. */
function backOf(state: State | undefined, nowUs: number): number {
  return state === undefined || state.tatUs + state.backUs <= nowUs ? 0 : state.backUs
}

/**
 * Generic cell rate algorithm: `count` per `period` in the long run, `burst` on top; one timestamp a key.
 * The five numbers are redis-cell's. Use `tokenBucket` for rates that do not come out in whole microseconds.
 *
 * @example gcra({ count: 100, period: '1m' }) // a fresh key may send 100 at once, then one every 600 ms
 */
export const gcra: (options: GcraOptions) => Policy<'reserve' | 'refund' | 'penalize'> = defineStrategy<
  GcraOptions,
  Numbers,
  State,
  GcraDraft,
  'reserve' | 'refund' | 'penalize'
>({
  name: 'gcra',
  code: 'gc',
  can: ['reserve', 'refund', 'penalize'],
  about: 'So many per period, evenly spread, and a burst on top.',
  options: {
    count,
    period,
    burst: {
      kind: 'count',
      about: 'Units beyond the first that a fresh key may take at once.',
      min: 0,
      max: ({ count, periodUs }) => Math.floor(longestUs / nearestIntervalUs(count, periodUs)) - 1,
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
  picture: ({ intervalUs, capacity }) => ({
    title: 'GCRA',
    rule: `${rateWords(1 / intervalUs)}, burst ${capacity - 1}`,
    windowUs: rateWindowUs,
    most: capacity + Math.floor(rateWindowUs / intervalUs),
    shape: 'none',
  }),
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
      return { allowed: true, limit, remaining, retryAfterUs: 0, resetAfterUs: tatUs - nowUs, tatUs, backUs }
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
    // Somebody may hold a reservation: the promised instants do not move.
    const held = state.tatUs - numbers.toleranceUs > nowUs
    if (backUs < mineBackUs || (held && state.tatUs > mineUs)) return state
    const freeUs = held ? Number.POSITIVE_INFINITY : mineUs - (backUs - mineBackUs) - nowUs
    const restoredUs = Math.min(units * numbers.intervalUs, state.tatUs - nowUs, freeUs)
    return restoredUs > 0 ? { tatUs: state.tatUs - restoredUs, backUs: backUs + restoredUs } : state
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
  redis: {
    encode: ({ intervalUs, toleranceUs, maxDebtUs }) => [intervalUs, toleranceUs, toleranceUs + maxDebtUs],
    lua: gcraLua,
  },
})
