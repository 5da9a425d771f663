import { optionError } from '../errors.ts'
import type { Check, Rows } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import { spacingUs } from '../strategies/spacing.ts'
import { durationOrZeroUs } from '../units.ts'
import type { NamedCheck } from './decided.ts'

const oneMinuteUs = 60_000_000

/** How long a caller is ready to wait. */
export function readMaxWait(maxWait: unknown): number {
  return maxWait === undefined ? oneMinuteUs : durationOrZeroUs(maxWait, 'maxWait')
}

export function readSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal
  throw optionError('signal', 'an AbortSignal', signal)
}

/** Longest wait that all of these policies may promise: no more than any of their debts. */
export function acceptedWaitUs(checks: readonly NamedCheck[], maxWaitUs: number): number {
  let patience = maxWaitUs
  for (const { name, policy } of checks) {
    const { definition, numbers } = partsOf(policy)
    if (!definition.can.includes('reserve'))
      throw optionError(`policies.${name}`, 'a policy that can reserve', policy.strategy)
    patience = Math.min(patience, definition.debtUs?.(numbers) ?? 0)
  }
  return patience
}

/** A reservation under several policies waits for the slowest of them; a refusal is no wait. */
export function waitUsOf(checks: readonly Check[], rows: Rows): number {
  let longest = 0
  for (const [i, { shadow }] of checks.entries()) {
    const row = rows[i]
    if (shadow || row === undefined) continue
    if (!row.allowed) return 0
    longest = Math.max(longest, row.waitUs)
  }
  return longest
}

/** The shortest time in which one of these policies lets one more such request pass. */
export function spacingMs(checks: readonly NamedCheck[]): number {
  let spacing = Number.POSITIVE_INFINITY
  for (const { policy, cost } of checks) spacing = Math.min(spacing, spacingUs(policy, cost))
  return spacing / 1000
}

/** A gate that counts requests promises gaps, which no sleep may be drawn across. */
export function refuseJitter(checks: readonly NamedCheck[]): void {
  const gate = checks.find(({ policy }) => partsOf(policy).definition.countsRequests === true)
  if (gate === undefined) return
  throw optionError('jitter', `false, as ${gate.policy.strategy} promises a gap between requests`, true)
}
