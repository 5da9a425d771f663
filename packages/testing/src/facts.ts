import { inspect } from 'node:util'
import type { Decision, Reason, Verdict } from '@sluice/core'
import { checkNames, optionError } from '@sluice/core/internal'

/** What is expected of a decision that allows; a fact that is left out may be anything. */
export interface AllowedFacts {
  /** The limiter's name. */
  limiter?: string | undefined
  /** The policy with the fewest further requests like this one. */
  by?: string | undefined
  /** Units that this policy has left. */
  remaining?: number | undefined
  /** How long a reservation waits. */
  waitMs?: number | undefined
}

/** What is expected of a decision that refuses; a fact that is left out may be anything. */
export interface RefusedFacts {
  /** The limiter's name. */
  limiter?: string | undefined
  /** The policy with the longest wait of those that refuse. */
  by?: string | undefined
  reason?: Reason | undefined
  /** Units that this policy has left. */
  remaining?: number | undefined
  /** null: waiting never helps. */
  retryAfterMs?: number | null | undefined
}

type Facts = AllowedFacts & RefusedFacts
type Equals = (one: unknown, other: unknown) => boolean

/** Whether a decision is as expected, and what it is. */
export interface Judged {
  readonly pass: boolean
  /** What was expected, and what the decision says: with policy, key, what is left and when to come again. */
  readonly message: string
}

const factNames = {
  allowed: ['limiter', 'by', 'remaining', 'waitMs'],
  refused: ['limiter', 'by', 'reason', 'remaining', 'retryAfterMs'],
} as const

/** Compares a decision with what is expected of it. Throws an OptionError for a value that is no decision. */
export function judge(
  received: unknown,
  outcome: 'allowed' | 'refused',
  { facts = {}, not = false, equals }: { facts?: Facts | undefined; not?: boolean; equals: Equals },
): Judged {
  const decision = readDecision(received)
  checkNames(facts, '', factNames[outcome])
  const { policy: by, limiter, reason, remaining, retryAfterMs, waitMs } = decision
  const found: { [name: string]: unknown } = { limiter, by, reason, remaining, retryAfterMs, waitMs }
  const expected = Object.entries(facts).filter(([, value]) => value !== undefined)
  const pass =
    decision.allowed === (outcome === 'allowed') &&
    expected.every(([name, value]) => equals(found[name], value))
  const wishes = expected.map(([name, value]) => `${name}: ${inWords(value)}`).join(', ')
  const wanted = `expected the decision ${not ? 'not ' : ''}to be ${outcome}${wishes && ` with { ${wishes} }`}`
  return { pass, message: `${wanted}, but ${decisionInWords(decision)}` }
}

function readDecision(received: unknown): Decision {
  if (typeof received === 'object' && received !== null && 'allowed' in received && 'verdicts' in received)
    return received as Decision // nothing else has both
  const isPromise = typeof received === 'object' && received !== null && 'then' in received
  const hint = isPromise ? ': await the promise' : ''
  throw optionError('decision', `a limiter's decision, such as that of check()${hint}`, received)
}

function inWords(value: unknown): string {
  return typeof value === 'object' ? String(value) : JSON.stringify(value)
}

/** One line for the decision, and where several policies were asked, one more for each. */
function decisionInWords(decision: Decision): string {
  const verdicts = Object.values<Verdict | undefined>(decision.verdicts).filter((each) => each !== undefined)
  const lines = verdicts.length > 1 ? verdicts.map((verdict) => `\n  ${verdictInWords(verdict)}`) : []
  return `limiter "${decision.limiter}" says: ${verdictInWords(decision)}${waiting(decision)}${lines.join('')}`
}

function waiting({ waitMs }: Decision): string {
  return waitMs === 0 ? '' : `, after a wait of ${waitMs} ms`
}

function verdictInWords(verdict: Verdict): string {
  const { policy, key, cost, limit, remaining, resetAfterMs } = verdict
  const asked = `"${policy}" ${verdict.allowed ? 'allowed' : 'refused'} key ${inspect(key)} at a cost of ${cost}`
  const left = `${remaining} of ${limit} left`
  if (verdict.allowed) return `${asked}: ${left}, all of it in ${resetAfterMs} ms`
  const again = verdict.retryAfterMs === null ? 'waiting never helps' : `again in ${verdict.retryAfterMs} ms`
  return `${asked} (${verdict.reason}): ${left}, ${again}`
}
