import type { Ability } from '../policy.ts'
import { maxDebt } from './common-options.ts'
import type { AnyStrategy, Bad, Later, StrategyDefinition, StrategyDraft } from './definition.ts'
import { reservingStrategy } from './reserving-strategy.ts'
import { slipUs } from './slip.ts'
import { strategyOf } from './strategy-from.ts'

/** The numbers of the strategy behind it, and how far ahead its units may be reserved. */
interface Numbers {
  readonly maxDebtUs: number
}

/** A strategy whose units callers may use later. */
interface Plain extends AnyStrategy {
  readonly later: Later<unknown, unknown>
}

/** What the strategy behind it has drafted, for the first instant at which a call may be let in after those who have reserved. */
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
  const made = strategyOf(reservingStrategy(definitionOver(plain)))
  if (made !== undefined) strategies.set(plain, made)
  return made
}

function isLater(strategy: AnyStrategy): strategy is Plain {
  return strategy.later !== undefined && strategy.options !== undefined
}

/**
 * A caller that reserves is let in where the strategy lets it in behind those who have reserved: the strategy is asked for that instant
 * in place of now, and its own waits say the rest. reserving/after.lua does the same.
 */
function definitionOver(
  plain: Plain,
): StrategyDefinition<object, Numbers, unknown, ReservableDraft, Ability> {
  const { later, redis } = plain
  return {
    ...plain,
    code: `${plain.code}r`,
    can: [...plain.can, 'reserve'],
    // biome-ignore lint/suspicious/noExplicitAny: the options of a strategy that is known at run time only
    options: { ...plain.options, maxDebt } as any,
    numbers: ({ maxDebtUs, ...read }: Numbers, bad) => numbersOver(plain, { read, maxDebtUs }, bad),
    noJitter: `no window of ${plain.name} holds more than its limit`,
    debtUs: ({ maxDebtUs }) => maxDebtUs,
    spacingUs: (numbers, cost) => spacingOver(plain, numbers, cost),
    // Whoever takes units ahead would use them before those who wait.
    ahead: undefined,
    tellsCounts: () => false,
    look: (numbers, state, nowUs, cost) => lookOver(plain, { numbers, state, nowUs }, cost),
    take(state, draft, call) {
      const { allowed, waitUs = 0, numbers, cost, drafted } = draft
      const isLetInLater = allowed && waitUs > 0
      return plain.take(
        state,
        isLetInLater ? plain.look(numbers, state, call.nowUs + waitUs, cost) : drafted,
        call,
      )
    },
    receipt(state, { waitUs = 0, numbers, nowUs, drafted }) {
      const draft = waitUs > 0 ? plain.look(numbers, state, nowUs + waitUs, 0) : drafted
      return `${plain.receipt?.(state, draft)}~${later.newest(state)}`
    },
    // While somebody waits only the newest charge may go: promised instants do not move, and nobody comes before them.
    give(state, units, nowUs, { receipt, numbers, charged }) {
      const dueUs = later.dueUs(numbers, state, nowUs)
      const [own = '', newest] = receipt.split('~')
      if (dueUs > nowUs && newest !== later.newest(state)) return state
      return plain.give?.(state, units, nowUs, { receipt: own, numbers, charged })
    },
    repair: (numbers, state, nowUs) =>
      plain.repair?.(numbers, state, nowUs, slipUs + numbers.maxDebtUs) ?? state,
    redis: redis && {
      encode: (numbers) => [numbers.maxDebtUs, ...redis.encode(numbers)],
      lua: redis.lua,
      reservable: true,
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

/** In the long run a window lets its limit in. */
function spacingOver(
  { limitOf, quotaOf = limitOf, windowUsOf }: Plain,
  numbers: Numbers,
  cost: number,
): number {
  const windowUs: number = windowUsOf?.(numbers) ?? 0
  return Math.ceil((cost * windowUs) / Math.max(1, quotaOf(numbers)))
}

interface Asked {
  readonly numbers: Numbers
  readonly state: unknown
  readonly nowUs: number
}

function lookOver(plain: Plain, asked: Asked, cost: number): ReservableDraft {
  const { numbers, state, nowUs } = asked
  const dueUs = state === undefined ? nowUs : plain.later.dueUs(numbers, state, nowUs)
  if (dueUs <= nowUs) return draftOf(plain.look(numbers, state, nowUs, cost), { numbers, nowUs, cost })
  const behind: StrategyDraft = plain.look(numbers, state, dueUs, cost)
  const beforeUs = dueUs - nowUs
  const left: StrategyDraft = behind.allowed && cost > 0 ? plain.look(numbers, state, dueUs, 0) : behind
  // What is charged whatever the limit says lies no further ahead than units may be reserved.
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

/** Where nobody waits: as the strategy itself answers. */
function draftOf(
  drafted: StrategyDraft,
  { numbers, nowUs, cost }: { numbers: Numbers; nowUs: number; cost: number },
): ReservableDraft {
  const { allowed, limit, remaining, retryAfterUs, resetAfterUs } = drafted
  return { allowed, limit, remaining, retryAfterUs, resetAfterUs, drafted, numbers, nowUs, cost }
}
