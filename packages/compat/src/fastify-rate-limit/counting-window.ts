import { defineStrategy, type Policy, type StrategyDraft } from '@sluice/core'
import { durationUs } from '@sluice/core/internal'
import { countingWindowLua } from '../lua.generated.ts'

/** What a request beyond `max` does to the window: nothing, begins it anew, or begins one that is twice as long each time. */
type Renewal = 'never' | 'anew' | 'doubled'

/** What requests do to a window that others have begun. */
export interface WindowRules {
  readonly renewal: Renewal
  /** A request whose own window is longer makes the one that runs as long; false: it lasts as it was begun. */
  readonly grows: boolean
}

export interface CountingWindowOptions extends WindowRules {
  readonly max: number
  readonly windowMs: number
}

interface Numbers {
  readonly max: number
  readonly windowUs: number
  readonly renewal: number
  readonly grows: boolean
}

interface State {
  readonly endUs: number
  readonly count: number
  /** From the window's beginning, or from the request that has begun it anew, until its end. */
  readonly spanUs: number
}

/** A draft contains the state after a take. */
interface CountingDraft extends StrategyDraft, State {}

/** A limit that no count reaches: the count is this limit less a decision's `remaining`. */
export const most = 1e15
const longestUs = 366 * 86_400e6
const slipUs = 1000

const renewals: readonly Renewal[] = ['never', 'anew', 'doubled']

/** The length of the window that a request begins which is `excess` beyond `max`. */
function spanOf({ windowUs, renewal }: Numbers, excess: number): number {
  return renewal === 2 && excess > 1 ? Math.min(windowUs * 2 ** (excess - 1), longestUs) : windowUs
}

/**
 * Counts everything and refuses nothing: the caller compares the count with its limit. A count beyond `max` renews the window. Requests
 * with other numbers never end a window earlier: with a short window of their own they would reset a long one.
 */
export const countingWindow: (options: CountingWindowOptions) => Policy = defineStrategy<
  CountingWindowOptions,
  Numbers,
  State,
  CountingDraft
>({
  name: 'countingWindow',
  code: 'cws',
  can: [],
  about: 'Counts everything in a window, and refuses nothing.',
  parse: ({ max, windowMs, renewal, grows }) => ({
    max,
    windowUs: durationUs(windowMs, 'timeWindow'),
    renewal: renewals.indexOf(renewal),
    grows,
  }),
  limitOf: () => most,
  windowUsOf: ({ windowUs }) => windowUs,
  look(numbers, state, nowUs, cost) {
    if (state === undefined || state.endUs <= nowUs) {
      const spanUs = cost > 0 ? numbers.windowUs : 0
      return drafted({ endUs: nowUs + spanUs, count: Math.min(cost, most), spanUs }, nowUs)
    }
    return drafted(cost > 0 ? countedOn(state, numbers, { nowUs, cost }) : state, nowUs)
  },
  take: (_state, { endUs, count, spanUs }) => ({ endUs, count, spanUs }),
  repair(_numbers, state, nowUs) {
    const { endUs, count, spanUs } = state
    return endUs > nowUs + spanUs + slipUs ? { endUs: nowUs + spanUs, count, spanUs } : state
  },
  idleUs: (_numbers, { endUs }, nowUs) => endUs - nowUs,
  redis: {
    encode: ({ max, windowUs, renewal, grows }) => [max, windowUs, renewal, grows ? 1 : 0],
    lua: countingWindowLua,
  },
})

/** A running window after one more request. */
function countedOn(
  { endUs, count, spanUs }: State,
  numbers: Numbers,
  { nowUs, cost }: { nowUs: number; cost: number },
): State {
  const total = Math.min(count + cost, most)
  const isRenewed = numbers.renewal > 0 && total > numbers.max
  const ownUs = isRenewed ? spanOf(numbers, total - numbers.max) : numbers.grows ? numbers.windowUs : 0
  const ownEndUs = (isRenewed ? nowUs : endUs - spanUs) + ownUs
  return ownEndUs > endUs ? { endUs: ownEndUs, count: total, spanUs: ownUs } : { endUs, count: total, spanUs }
}

function drafted({ endUs, count, spanUs }: State, nowUs: number): CountingDraft {
  const resetAfterUs = endUs - nowUs
  return {
    allowed: true,
    limit: most,
    remaining: most - count,
    retryAfterUs: 0,
    resetAfterUs,
    endUs,
    count,
    spanUs,
  }
}

/** Makes policies, and keeps the last one, as most requests have the same numbers. */
export class CountingWindows {
  readonly #rules: WindowRules
  #last: { readonly max: number; readonly windowMs: number; readonly policy: Policy } | undefined

  constructor(rules: WindowRules) {
    this.#rules = rules
  }

  of(max: number, windowMs: number): Policy {
    const last = this.#last
    if (last?.max === max && last.windowMs === windowMs) return last.policy
    const { renewal, grows } = this.#rules
    const policy = countingWindow({ max, windowMs, renewal, grows })
    this.#last = { max, windowMs, policy }
    return policy
  }
}

/** The count of such a window, from the `remaining` of a decision. */
export function countedIn(remaining: number): number {
  return most - remaining
}
