import { optionError } from '../errors.ts'
import type { Policy } from '../policy.ts'
import { countedBy, partsOf } from './definition.ts'

/** A policy of which units may be used up to `us` later than they were taken; throws where it cannot be one. */
export function countedAhead(policy: Policy, name: string, us: number): Policy {
  const { definition, numbers, blocking } = partsOf(policy)
  if (definition.ahead === undefined) {
    const expected = `to be left out, as units of ${policy.strategy} (policy "${name}") cannot be taken ahead; put that policy on a limiter of its own`
    throw optionError('ahead', expected, `${us / 1000}ms`)
  }
  if (blocking !== undefined) {
    const expected = `to be left out, as policy "${name}" has blockFor, and a key would be blocked later than it was refused`
    throw optionError('ahead', expected, `${us / 1000}ms`)
  }
  const counted = definition.ahead.numbers(numbers, us)
  if (counted !== undefined) return countedBy(policy, counted)
  throw optionError('ahead', `at most a tenth of the window of policy "${name}"`, `${us / 1000}ms`)
}
