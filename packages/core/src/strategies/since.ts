import { optionError } from '../errors.ts'
import type { Policy } from '../policy.ts'
import { ZoneCalendar } from './calendar.ts'
import { partsOf, policyWith } from './definition.ts'
import { instantMs } from './every.ts'

/** Of each policy. */
const mostKnown = 1000

const known = new WeakMap<Policy, Map<number, Policy>>()

const expected =
  'a Date, milliseconds since 1970 (not seconds) or a text such as "2024-01-31T09:00:00Z", from 1900 to 2100'

/**
 * The policy with windows of its calendar that count from an instant which a call has said; the policy itself where its windows follow no
 * calendar. The same object for the same instant, as stores compare policies by identity, until a thousand others were asked for.
 */
export function policySince(policy: Policy, since: unknown): Policy {
  const { calendar, options } = partsOf(policy)
  if (!(calendar instanceof ZoneCalendar) || options === undefined) return policy
  const ms = instantMs(since)
  if (Number.isNaN(ms)) throw optionError('since', expected, since)
  const all = known.get(policy) ?? new Map<number, Policy>()
  const found = all.get(ms)
  if (found !== undefined) return found
  const every = `${calendar.span} since ${new Date(ms).toISOString()}`
  const made = policyWith(partsOf(policy).definition, { ...options, every, firstDayOfWeek: undefined })
  const [oldest] = all.keys()
  if (all.size >= mostKnown && oldest !== undefined) all.delete(oldest)
  known.set(policy, all.set(ms, made))
  return made
}
