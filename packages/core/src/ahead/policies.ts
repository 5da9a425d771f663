import { optionError } from '../errors.ts'
import type { Policy } from '../policy.ts'
import { countedBy, partsOf } from '../strategies/definition.ts'

/** A policy of which units may be used up to `us` later than they were taken; throws where it cannot be one. */
export function countedAhead(policy: Policy, name: string, us: number): Policy {
  const { definition, numbers, blocking } = partsOf(policy)
  function bad(expected: string): Error {
    return optionError('ahead', expected, `${us / 1000}ms`)
  }
  if (definition.ahead === undefined)
    throw bad(
      `to be left out, as units of ${policy.strategy} (policy "${name}") cannot be taken ahead; put that policy on a limiter of its own`,
    )
  if (blocking !== undefined)
    throw bad(
      `to be left out, as policy "${name}" has blockFor, and a key would be blocked later than it was refused`,
    )
  const counted = definition.ahead.numbers(numbers, us)
  if (counted === undefined) throw bad(`at most a tenth of the window of policy "${name}"`)
  return countedBy(policy, counted)
}

/** Whether units of it may be taken ahead: it was made by `countedAhead`. */
export function isCountedAhead(policy: Policy): boolean {
  return partsOf(policy).stated !== undefined
}
