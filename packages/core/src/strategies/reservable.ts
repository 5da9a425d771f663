import { optionError } from '../errors.ts'
import { checkNames } from '../options.ts'
import { type Ability, isPolicy, type Policy } from '../policy.ts'
import { reserving } from '../reserving/reserving.ts'
import { type Debt, maxDebt } from './common-options.ts'
import {
  type AnyStrategy,
  type Bad,
  type Later,
  type Packed,
  type StrategyDefinition,
  type StrategyDraft,
  slipUs,
} from './definition.ts'
import { partsOf } from './policy-parts.ts'
import { policyWith, strategyFrom, strategyOf } from './strategy-from.ts'

const strategiesWithout = ['fixedWindow', 'slidingWindowCounter', 'slidingWindowLog', 'multiWindow']

/**
 * The same policy, whose callers can reserve and wait: of `fixedWindow`, `slidingWindowCounter`, `slidingWindowLog` or `multiWindow`.
 * It has a count of its own. The strategies with a rate need no such thing.
 *
 * @example reservable(fixedWindow({ limit: 100, window: '1m' }))
 */
export function reservable<Can extends Ability>(
  policy: Policy<Can>,
  options: Debt = {},
): Policy<Can | 'reserve'> {
  if (!isPolicy(policy))
    throw optionError('policy', 'a policy such as fixedWindow({ limit: 100, window: "1m" })', policy)
  const { definition, options: own } = partsOf(policy)
  const strategy = reservableStrategy(definition)
  if (strategy === undefined || own === undefined)
    throw optionError('policy', `a policy of ${strategiesWithout.join(', ')}`, policy.strategy)
  checkNames(options, 'options', ['maxDebt'])
  const { maxDebt: asked = maxDebt.default } = options
  return policyWith(strategy, { ...own, maxDebt: asked }) as Policy<Can | 'reserve'> // its abilities, and this one
}

/** The numbers of the wrapped strategy, and how far ahead its units may be reserved. */
interface Numbers {
  readonly maxDebtUs: number
  /** Of a policy that was chosen for a call: the longer `maxDebtUs` of its own and of the policy that it replaces. */
  readonly reachUs?: number
}

/** The state of the wrapped strategy, and what only the wrapper knows of it. */
interface State {
  own: unknown
  /** How far ahead units may lie that calls with chosen policies have charged, which other numbers do not know; 0: there are none. */
  reachUs: number
}

/** A strategy whose units callers may use later. */
interface Plain extends AnyStrategy {
  readonly later: Later<unknown, unknown>
}

/** The wrapped strategy's draft for the first instant at which a call may be let in after those that have reserved. */
interface ReservableDraft extends StrategyDraft {
  readonly drafted: StrategyDraft
  readonly numbers: Numbers
  readonly nowUs: number
  readonly cost: number
}

const strategies = new WeakMap<AnyStrategy, AnyStrategy>()

/** The same strategy, whose callers can reserve; undefined where its units cannot be used later. */
export function reservableStrategy(plain: AnyStrategy): AnyStrategy | undefined {
  if (!isLater(plain)) return undefined
  const known = strategies.get(plain)
  if (known !== undefined) return known
  const made = strategyOf(strategyFrom({ ...definitionOver(plain), reserving }))
  if (made !== undefined) strategies.set(plain, made)
  return made
}

function isLater(strategy: AnyStrategy): strategy is Plain {
  return strategy.later !== undefined && strategy.options !== undefined
}

/**
 * A caller that reserves is let in after those that have reserved before it: the wrapped strategy is asked about the instant at which
 * these are let in, in place of now, and its own wait is added. reserving/after.lua does the same.
 */
function definitionOver(plain: Plain): StrategyDefinition<object, Numbers, State, ReservableDraft, Ability> {
  const { later, redis, packed } = plain
  return {
    ...plain,
    later: undefined,
    code: `${plain.code}r`,
    can: [...plain.can, 'reserve'],
    // biome-ignore lint/suspicious/noExplicitAny: the options of a strategy that is known at run time only
    options: { ...plain.options, maxDebt } as any,
    numbers: ({ maxDebtUs, ...read }: Numbers, bad) => numbersOver(plain, { read, maxDebtUs }, bad),
    chosen: (numbers, own) => ({
      ...(plain.chosen?.(numbers, own) ?? numbers),
      // The limiter's own policy may be one that cannot reserve.
      reachUs: Math.max(numbers.maxDebtUs, own.maxDebtUs ?? 0),
    }),
    noJitter: `no window of ${plain.name} holds more than its limit`,
    debtUs: ({ maxDebtUs }) => maxDebtUs,
    whenDue: true,
    spacingUs: (numbers, cost) => spacingOver(plain, numbers, cost),
    // Units that are taken ahead would be used before the callers that wait.
    ahead: undefined,
    tellsCounts: () => false,
    look: (numbers, state, nowUs, cost) => lookOver(plain, { numbers, state: state?.own, nowUs }, cost),
    take(state, draft, call) {
      const { allowed, waitUs = 0, numbers, cost, drafted } = draft
      const isLetInLater = allowed && waitUs > 0
      const own: unknown = plain.take(
        state?.own,
        isLetInLater ? plain.look(numbers, state?.own, call.nowUs + waitUs, cost) : drafted,
        call,
      )
      return { own, reachUs: Math.max(state?.reachUs ?? 0, numbers.reachUs ?? 0) }
    },
    receipt({ own }, { waitUs = 0, numbers, nowUs, drafted }) {
      const draft = waitUs > 0 ? plain.look(numbers, own, nowUs + waitUs, 0) : drafted
      return `${plain.receipt?.(own, draft)}~${later.newest(own)}`
    },
    // While callers wait, only the newest charge may be given back: promised instants do not move, and no caller comes before them.
    give(state, units, nowUs, { receipt, numbers, charged }) {
      const dueUs = later.dueUs(numbers, state.own, nowUs)
      const [own = '', newest] = receipt.split('~')
      if (dueUs > nowUs && newest !== later.newest(state.own)) return state
      return withOwn(state, plain.give?.(state.own, units, nowUs, { receipt: own, numbers, charged }))
    },
    reward: (numbers, state, units, nowUs) =>
      withOwn(state, plain.reward?.(numbers, state.own, units, nowUs) ?? state.own),
    // Units that other numbers let lie further ahead than these are no sign that the clock has stepped back.
    repair(numbers, state, nowUs) {
      const aheadUs = Math.max(numbers.maxDebtUs, numbers.reachUs ?? 0, state.reachUs)
      return withOwn(state, plain.repair?.(numbers, state.own, nowUs, slipUs + aheadUs) ?? state.own)
    },
    idleUs: (numbers, { own }, nowUs) => plain.idleUs(numbers, own, nowUs),
    packed: packed && packedOver(packed),
    redis: redis && {
      encode: (numbers) => [numbers.maxDebtUs, numbers.reachUs ?? 0, ...redis.encode(numbers)],
      lua: redis.lua,
      reservable: true,
    },
  }
}

function withOwn(state: State, own: unknown): State {
  return own === state.own ? state : { own, reachUs: state.reachUs }
}

function packedOver({ width, rest, blank, load, save }: Packed<unknown>): Packed<State> {
  return {
    width: width + 1,
    ...(rest && {
      rest: { of: ({ own }: State) => rest.of(own), into: ({ own }: State, more) => rest.into(own, more) },
    }),
    blank: () => ({ own: blank(), reachUs: 0 }),
    load(values, at, state) {
      load(values, at, state.own)
      state.reachUs = values[at + width] ?? 0
    },
    save(values, at, { own, reachUs }) {
      save(values, at, own)
      values[at + width] = reachUs
    },
  }
}

function numbersOver(plain: Plain, about: Numbers & { read: object }, bad: Bad): Numbers {
  const { read, maxDebtUs } = about
  const { later } = plain
  const numbers: object = plain.numbers === undefined ? read : plain.numbers(read as never, bad) // as its options were read
  const mostUs = later.mostDebtUs?.(numbers)
  if (mostUs !== undefined && maxDebtUs > mostUs) bad('maxDebt', `at most ${mostUs / 3600e6}h here`)
  return { ...numbers, ...(later.numbers?.(numbers) ?? {}), maxDebtUs }
}

/** The spacing of requests in the long run, in which each window lets its limit in. */
function spacingOver(
  { limitOf, quotaOf = limitOf, windowUsOf }: Plain,
  numbers: Numbers,
  cost: number,
): number {
  const windowUs: number = windowUsOf?.(numbers) ?? 0
  return Math.ceil((cost * windowUs) / Math.max(1, quotaOf(numbers)))
}

function lookOver(
  plain: Plain,
  { numbers, state, nowUs }: { numbers: Numbers; state: unknown; nowUs: number },
  cost: number,
): ReservableDraft {
  const dueUs = state === undefined ? nowUs : plain.later.dueUs(numbers, state, nowUs)
  if (dueUs <= nowUs) return draftOf(plain.look(numbers, state, nowUs, cost), { numbers, nowUs, cost })
  const behind: StrategyDraft = plain.look(numbers, state, dueUs, cost)
  const beforeUs = dueUs - nowUs
  const left: StrategyDraft = behind.allowed && cost > 0 ? plain.look(numbers, state, dueUs, 0) : behind
  // Units that are charged whatever the limit says lie no further ahead than units may be reserved.
  const lastUs = nowUs + numbers.maxDebtUs
  return {
    allowed: cost === 0,
    limit: behind.limit,
    remaining: 0,
    retryAfterUs: cost === 0 ? 0 : behind.retryAfterUs === null ? null : beforeUs + behind.retryAfterUs,
    resetAfterUs: beforeUs + left.resetAfterUs,
    drafted: dueUs > lastUs ? plain.look(numbers, state, lastUs, cost) : behind,
    numbers,
    nowUs,
    cost,
  }
}

/** The draft while no caller waits: the wrapped strategy's own answer. */
function draftOf(
  drafted: StrategyDraft,
  { numbers, nowUs, cost }: { numbers: Numbers; nowUs: number; cost: number },
): ReservableDraft {
  const { allowed, limit, remaining, retryAfterUs, resetAfterUs } = drafted
  return { allowed, limit, remaining, retryAfterUs, resetAfterUs, drafted, numbers, nowUs, cost }
}
