import type { Policy } from '../policy.ts'
import { partsOf, withNumbers } from './definition.ts'

const known = new WeakMap<Policy, Policy>()

/**
 * A policy that was chosen for one call: what its numbers charge outlasts calls with others, and it shortens nothing that others have
 * charged. The same object each time, as policies that differ are not told apart by their values on the request path.
 */
export function chosenFor(policy: Policy): Policy {
  const made = known.get(policy)
  if (made !== undefined) return made
  const { definition, numbers } = partsOf(policy)
  const chosen = definition.chosen === undefined ? policy : withNumbers(policy, definition.chosen(numbers))
  known.set(policy, chosen)
  return chosen
}
