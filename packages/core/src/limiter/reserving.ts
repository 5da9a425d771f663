import type { LaneCheck } from '../decision/lane.ts'
import type { PolicyVerdict } from '../decision/verdict.ts'
import { optionError } from '../errors.ts'
import { partsOf } from '../strategies/definition.ts'
import { spacingUs } from '../strategies/spacing.ts'
import { durationOrZeroUs } from '../units.ts'

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
export function acceptedWaitUs(checks: readonly LaneCheck[], maxWaitUs: number): number {
  let acceptedUs = maxWaitUs
  for (const { lane, policy } of checks) {
    const { definition, numbers } = partsOf(policy)
    if (!definition.can.includes('reserve'))
      throw optionError(
        `policies.${lane.name}`,
        'a policy that can reserve, which every wait needs',
        policy.strategy,
      )
    acceptedUs = Math.min(acceptedUs, definition.debtUs?.(numbers) ?? 0)
  }
  return acceptedUs
}

/** The shortest time in which one of these policies lets one more such request pass. */
export function spacingMs(verdicts: readonly PolicyVerdict[]): number {
  let spacing = Number.POSITIVE_INFINITY
  for (const {
    check: { policy, cost },
  } of verdicts)
    spacing = Math.min(spacing, spacingUs(policy, cost))
  return spacing / 1000
}

/** A gate that counts requests promises gaps, which no sleep may be drawn across. */
export function refuseJitter(checks: readonly LaneCheck[]): void {
  const gate = checks.find(({ policy }) => partsOf(policy).countsRequests)
  if (gate === undefined) return
  throw optionError('jitter', `false, as ${gate.policy.strategy} promises a gap between requests`, true)
}
