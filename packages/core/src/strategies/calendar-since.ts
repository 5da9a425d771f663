import { optionError } from '../errors.ts'
import type { Policy } from '../policy.ts'
import { instantMs } from './calendar-text.ts'
import { partsOf } from './policy-parts.ts'
import { policyWith } from './strategy-from.ts'

/** How many instants are kept for each policy. */
const mostKnown = 1000

const known = new WeakMap<Policy, Map<number, Policy>>()

const expected = 'a Date, milliseconds since 1970 (not seconds) or a text such as "2024-01-31T09:00:00Z"'

/**
 * The policy with days, weeks, months, quarters or years that count from an instant which a call has said. The same object for the same
 * instant, as stores compare policies by identity, until it was asked for a thousand others.
 */
export function policySince(policy: Policy, span: string, since: unknown): Policy {
  const ms = instantMs(since)
  if (Number.isNaN(ms)) throw optionError('since', expected, since)
  const all = known.get(policy) ?? new Map<number, Policy>()
  const found = all.get(ms)
  if (found !== undefined) return found
  const { definition, options } = partsOf(policy)
  const every = `${span} since ${new Date(ms).toISOString()}`
  const made = policyWith(definition, { ...options, every, firstDayOfWeek: undefined })
  if (all.size >= mostKnown) all.clear()
  known.set(policy, all.set(ms, made))
  return made
}
