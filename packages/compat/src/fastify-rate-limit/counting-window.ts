import { defineStrategy, type Policy, type StrategyDraft } from '@sluice/core'
import { durationUs } from '@sluice/core/internal'
import { countingWindowLua } from '../lua.generated.ts'

/** What a request beyond `max` does to the window: nothing, begins it anew, or begins one that is twice as long each time. */
export type Renewal = 'never' | 'anew' | 'doubled'

interface CountingWindowOptions {
  readonly max: number
  readonly windowMs: number
  readonly renewal: Renewal
}

interface Numbers {
  readonly max: number
  readonly windowUs: number
  readonly renewal: number
}

interface State {
  readonly endUs: number
  readonly count: number
}

/** A draft contains the state after a take. */
interface CountingDraft extends StrategyDraft, State {}

/** A limit that no count reaches: the count is what a decision's `remaining` is short of it. */
const most = 1e15
const longestUs = 366 * 86_400e6
const slipUs = 1000

const renewals: readonly Renewal[] = ['never', 'anew', 'doubled']

/** The length of the window that a request begins which is `excess` beyond `max`. */
function spanUs({ windowUs, renewal }: Numbers, excess: number): number {
  return renewal === 2 && excess > 1 ? Math.min(windowUs * 2 ** (excess - 1), longestUs) : windowUs
}

/** Counts everything and refuses nothing: the caller compares the count with its limit. A count beyond `max` renews the window. */
const countingWindow: (options: CountingWindowOptions) => Policy = defineStrategy<
  CountingWindowOptions,
  Numbers,
  State,
  CountingDraft
>({
  name: 'countingWindow',
  code: 'cw',
  can: [],
  about: 'Counts everything in a window, and refuses nothing.',
  parse: ({ max, windowMs, renewal }) => ({
    max,
    windowUs: durationUs(windowMs, 'timeWindow'),
    renewal: renewals.indexOf(renewal),
  }),
  limitOf: () => most,
  windowUsOf: ({ windowUs }) => windowUs,
  look(numbers, state, nowUs, cost) {
    const running = state !== undefined && state.endUs > nowUs
    const count = (running ? state.count : 0) + cost
    const begins = cost > 0 && (!running || (numbers.renewal > 0 && count > numbers.max))
    const endUs = begins
      ? nowUs + spanUs(numbers, running ? count - numbers.max : 0)
      : running
        ? state.endUs
        : nowUs
    const resetAfterUs = endUs - nowUs
    return {
      allowed: true,
      limit: most,
      remaining: most - count,
      retryAfterUs: 0,
      resetAfterUs,
      endUs,
      count,
    }
  },
  take: (_state, { endUs, count }) => ({ endUs, count }),
  receipt: ({ endUs }) => endUs,
  repair(numbers, state, nowUs) {
    const furthestUs = nowUs + spanUs(numbers, state.count - numbers.max)
    return state.endUs > furthestUs + slipUs ? { endUs: furthestUs, count: state.count } : state
  },
  idleUs: (_numbers, { endUs }, nowUs) => endUs - nowUs,
  redis: {
    encode: ({ max, windowUs, renewal }) => [max, windowUs, renewal],
    lua: countingWindowLua,
  },
})

/** Makes policies, and keeps the last one, as most requests have the same numbers. */
export class CountingWindows {
  readonly #renewal: Renewal
  #last: { readonly max: number; readonly windowMs: number; readonly policy: Policy } | undefined

  constructor(renewal: Renewal) {
    this.#renewal = renewal
  }

  of(max: number, windowMs: number): Policy {
    const last = this.#last
    if (last?.max === max && last.windowMs === windowMs) return last.policy
    const policy = countingWindow({ max, windowMs, renewal: this.#renewal })
    this.#last = { max, windowMs, policy }
    return policy
  }
}

/** The count of such a window, from the `remaining` of a decision. */
export function countedIn(remaining: number): number {
  return most - remaining
}
