import type { Policy } from '../policy.ts'
import { reserving } from '../reserving/reserving.ts'
import type { Duration } from '../units.ts'
import type { BlockFor } from './block-for.ts'
import { asChosen, type Debt, type MaybeChosen, maxDebt, rateAbilities } from './common-options.ts'
import { type StrategyDraft, slipUs } from './definition.ts'
import type { ReadOptions } from './options.ts'
import { inRedis, strategyFrom } from './strategy-from.ts'

export interface UniformOptions extends Debt {
  /** How long the gate stays closed after each admitted request. */
  interval: Duration
}

export interface Numbers extends ReadOptions<UniformOptions>, MaybeChosen {}

interface State {
  opensUs: number
  /** Set if a policy that was chosen for a call has closed the gate: how far ahead it may open at most. */
  reachUs?: number | undefined
}

/** A draft contains the state after a take. */
interface UniformDraft extends StrategyDraft, State {}

function furthestUs(numbers: Numbers, nowUs: number): number {
  return nowUs + numbers.intervalUs + numbers.maxDebtUs
}

/** `reachUs` of a gate that these numbers close until `opensUs`, never less than before; undefined if only the limiter's own closed it. */
function reachOf(
  { intervalUs, maxDebtUs, chosen }: Numbers,
  { state, opensUs }: { state: State | undefined; opensUs: number },
  nowUs: number,
): number | undefined {
  const reachUs = state !== undefined && state.opensUs > nowUs ? state.reachUs : undefined
  if (chosen === undefined && reachUs === undefined) return undefined
  return Math.max(reachUs ?? 0, intervalUs + maxDebtUs, opensUs - nowUs)
}

/**
 * One request per interval and key: the gate closes after each admitted request. Any cost of 1 or more counts as one request.
 * Use `gcra` if a key may save up a burst.
 *
 * @example uniform({ interval: '10s' }) // Bob may buy a ticket once every ten seconds
 */
export const uniform: (
  options: UniformOptions & BlockFor,
) => Policy<'reserve' | 'refund' | 'penalize' | 'reward'> = strategyFrom<
  UniformOptions,
  Numbers,
  State,
  UniformDraft,
  'reserve' | 'refund' | 'penalize' | 'reward'
>({
  name: 'uniform',
  code: 'un',
  can: rateAbilities,
  reserving,
  refusalsLast: true,
  options: { interval: { kind: 'duration', scales: 'inverse', example: '10s' }, maxDebt },
  limitOf: () => 1,
  windowUsOf: ({ intervalUs }) => intervalUs,
  share: (numbers, processes) => ({ ...numbers, intervalUs: numbers.intervalUs * processes }),
  countsRequests: true,
  noJitter: 'uniform promises a gap between requests',
  chosen: asChosen,
  look(numbers, state, nowUs, cost) {
    const { intervalUs } = numbers
    const opensUs = state?.opensUs ?? 0
    const nextUs = Math.max(opensUs, nowUs) + intervalUs
    const reachUs = reachOf(numbers, { state, opensUs: nextUs }, nowUs)
    const closedUs = Math.max(0, opensUs - nowUs)
    return {
      allowed: closedUs === 0 || cost === 0,
      limit: 1,
      remaining: closedUs === 0 && cost === 0 ? 1 : 0,
      retryAfterUs: cost === 0 ? 0 : closedUs,
      resetAfterUs: closedUs > 0 || cost === 0 ? closedUs : intervalUs,
      opensUs: nextUs,
      reachUs,
    }
  },
  take: (_state, draft) => draft,
  tellsCounts: () => true,
  receipt: ({ opensUs }) => opensUs,
  give(state, units, nowUs, { receipt, charged, numbers }) {
    if (units < charged || state.opensUs !== Number(receipt)) return state
    const foundUs = state.opensUs - numbers.intervalUs
    return foundUs > nowUs ? { ...state, opensUs: foundUs } : { opensUs: 0 }
  },
  reward({ intervalUs }, state, units, nowUs) {
    if (state.opensUs <= nowUs) return state
    const opensUs = state.opensUs - units * intervalUs
    return opensUs > nowUs ? { ...state, opensUs } : { opensUs: 0 }
  },
  charge(numbers, state, units, nowUs) {
    const closedUs = state?.opensUs ?? 0
    const chargedUs = Math.max(closedUs, nowUs) + units * numbers.intervalUs
    const opensUs = Math.max(closedUs, Math.min(chargedUs, furthestUs(numbers, nowUs)))
    return { opensUs, reachUs: reachOf(numbers, { state, opensUs }, nowUs) }
  },
  raise(numbers, state, waitUs, nowUs) {
    const opensUs = Math.min(nowUs + waitUs, furthestUs(numbers, nowUs))
    if (state !== undefined && state.opensUs >= opensUs) return state
    return { opensUs, reachUs: reachOf(numbers, { state, opensUs }, nowUs) }
  },
  spacingUs: ({ intervalUs }, cost) => (cost === 0 ? 0 : intervalUs),
  repair(numbers, state, nowUs) {
    if (numbers.chosen === true && state.reachUs === undefined) return state
    const furthest = Math.max(furthestUs(numbers, nowUs), nowUs + (state.reachUs ?? 0))
    return state.opensUs > furthest + slipUs ? { ...state, opensUs: furthest } : state
  },
  idleUs: (_numbers, { opensUs }, nowUs) => opensUs - nowUs,
  packed: {
    width: 1,
    rest: {
      of: ({ reachUs }) => reachUs,
      into(state, reachUs) {
        state.reachUs = reachUs as number | undefined // as `of` gave it
      },
    },
    blank: () => ({ opensUs: 0, reachUs: undefined }),
    load(values, at, state) {
      state.opensUs = values[at] ?? 0
    },
    save(values, at, { opensUs }) {
      values[at] = opensUs
    },
  },
  redis: inRedis(({ intervalUs, maxDebtUs, chosen }) => [intervalUs, intervalUs + maxDebtUs, chosen ? 1 : 0]),
})
