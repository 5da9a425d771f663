import type { Policy } from '../policy.ts'
import { instantUs } from './calendar-options.ts'
import { partsOf, policyWith } from './definition.ts'

/** Of each policy. */
const mostKnown = 1000

const known = new WeakMap<Policy, Map<number, Policy>>()

/**
 * The policy with windows of its calendar that count from an instant which a call has said; the policy itself where its windows follow no
 * calendar. The same object for the same instant, as stores compare policies by identity, until others have taken its place.
 */
export function policySince(policy: Policy, since: unknown): Policy {
  const { calendar, options } = partsOf(policy)
  if (calendar === undefined || options === undefined) return policy
  const us = instantUs(since, 'since')
  const all = known.get(policy) ?? new Map<number, Policy>()
  const found = all.get(us)
  if (found !== undefined) return found
  const made = madeSince(policy, us / 1000)
  const [oldest] = all.keys()
  if (all.size >= mostKnown && oldest !== undefined) all.delete(oldest)
  known.set(policy, all.set(us, made))
  return made
}

/** What else said where windows begin gives way. */
function madeSince(policy: Policy, since: number): Policy {
  const { definition, options } = partsOf(policy)
  const gone = {
    startsAt: undefined,
    firstDayOfWeek: undefined,
    firstDayOfMonth: undefined,
    firstMonth: undefined,
  }
  return policyWith(definition, { ...options, ...gone, since })
}
