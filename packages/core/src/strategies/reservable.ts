import { optionError } from '../errors.ts'
import { checkNames } from '../options.ts'
import { type Ability, isPolicy, type Policy } from '../policy.ts'
import { type Debt, maxDebt } from './common-options.ts'
import { partsOf } from './policy-parts.ts'
import { reservableStrategy } from './reservable-strategy.ts'
import { policyWith } from './strategy-from.ts'

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
