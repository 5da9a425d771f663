import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import type { BlockFor } from './block-for.ts'
import { maxDebt } from './common-options.ts'
import type { Debt } from './debt.ts'
import { defineStrategy, type StrategyDraft } from './definition.ts'
import { inRedis } from './in-redis.ts'
import type { ReadOptions } from './options.ts'
import { spanWords } from './picture.ts'
import { slipUs } from './slip.ts'

export interface UniformOptions extends Debt {
  /** How long the gate stays closed after each admitted request. */
  interval: Duration
}

type Numbers = ReadOptions<UniformOptions>

interface State {
  opensUs: number
}

/** A draft contains the state after a take. */
interface UniformDraft extends StrategyDraft, State {}

function furthestUs(numbers: Numbers, nowUs: number): number {
  return nowUs + numbers.intervalUs + numbers.maxDebtUs
}

/**
 * One request per interval and key: the gate closes after each admitted request. Any cost of 1 or more counts as one request.
 * Use `gcra` if a key may save up a burst.
 *
 * @example uniform({ interval: '10s' }) // Bob may buy a ticket once every ten seconds
 */
export const uniform: (
  options: UniformOptions & BlockFor,
) => Policy<'reserve' | 'refund' | 'penalize' | 'reward'> = defineStrategy<
  UniformOptions,
  Numbers,
  State,
  UniformDraft,
  'reserve' | 'refund' | 'penalize' | 'reward'
>({
  name: 'uniform',
  code: 'un',
  can: ['reserve', 'refund', 'penalize', 'reward'],
  refusalsLast: true,
  about: 'One request per interval.',
  options: {
    interval: {
      kind: 'duration',
      about: 'How long the gate stays closed after each admitted request.',
      scales: 'inverse',
      example: '10s',
    },
    maxDebt,
  },
  limitOf: () => 1,
  windowUsOf: ({ intervalUs }) => intervalUs,
  picture: ({ intervalUs }) => ({
    title: 'uniform gate',
    rule: `1 in ${spanWords(intervalUs)}`,
    windowUs: intervalUs,
    most: 1,
    shape: 'none',
  }),
  share: (numbers, processes) => ({ ...numbers, intervalUs: numbers.intervalUs * processes }),
  countsRequests: true,
  look({ intervalUs }, state, nowUs, cost) {
    const opensUs = state?.opensUs ?? 0
    if (opensUs > nowUs) {
      const resetAfterUs = opensUs - nowUs
      const retryAfterUs = cost === 0 ? 0 : resetAfterUs
      return {
        allowed: cost === 0,
        limit: 1,
        remaining: 0,
        retryAfterUs,
        resetAfterUs,
        opensUs: opensUs + intervalUs,
      }
    }
    if (cost === 0)
      return { allowed: true, limit: 1, remaining: 1, retryAfterUs: 0, resetAfterUs: 0, opensUs }
    return {
      allowed: true,
      limit: 1,
      remaining: 0,
      retryAfterUs: 0,
      resetAfterUs: intervalUs,
      opensUs: nowUs + intervalUs,
    }
  },
  take: (_state, draft) => draft,
  receipt: ({ opensUs }) => opensUs,
  give(state, units, nowUs, { receipt, charged, numbers }) {
    if (units < charged || state.opensUs !== Number(receipt)) return state
    const foundUs = state.opensUs - numbers.intervalUs
    return { opensUs: foundUs > nowUs ? foundUs : 0 }
  },
  reward({ intervalUs }, state, units, nowUs) {
    if (state.opensUs <= nowUs) return state
    const opensUs = state.opensUs - units * intervalUs
    return { opensUs: opensUs > nowUs ? opensUs : 0 }
  },
  charge(numbers, state, units, nowUs) {
    const opensUs = state?.opensUs ?? 0
    const chargedUs = Math.max(opensUs, nowUs) + units * numbers.intervalUs
    return { opensUs: Math.max(opensUs, Math.min(chargedUs, furthestUs(numbers, nowUs))) }
  },
  raise(numbers, state, waitUs, nowUs) {
    return { opensUs: Math.max(state?.opensUs ?? 0, Math.min(nowUs + waitUs, furthestUs(numbers, nowUs))) }
  },
  spacingUs: ({ intervalUs }, cost) => (cost === 0 ? 0 : intervalUs),
  repair(numbers, state, nowUs) {
    const furthest = furthestUs(numbers, nowUs)
    return state.opensUs > furthest + slipUs ? { opensUs: furthest } : state
  },
  idleUs: (_numbers, { opensUs }, nowUs) => opensUs - nowUs,
  packed: {
    width: 1,
    blank: () => ({ opensUs: 0 }),
    load(values, at, state) {
      state.opensUs = values[at] ?? 0
    },
    save(values, at, { opensUs }) {
      values[at] = opensUs
    },
  },
  redis: inRedis(({ intervalUs, maxDebtUs }) => [intervalUs, intervalUs + maxDebtUs]),
})
