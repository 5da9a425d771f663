import { askNames } from '../call-options.ts'
import type { LaneCheck } from '../decision/lane.ts'
import type { PolicyVerdict } from '../decision/verdict.ts'
import { optionError } from '../errors.ts'
import { wholeNumber } from '../options.ts'
import type { Policy } from '../policy.ts'
import { partsOf, spacingUs } from '../strategies/policy-parts.ts'
import { type Duration, durationOrZeroUs } from '../units.ts'

export interface ReserveOptions {
  /** Longest wait that is accepted, and never longer than a policy's `maxDebt`. @default '1m' */
  maxWait?: Duration | undefined
}

export interface WaitOptions extends ReserveOptions {
  /** Ends the wait; what was reserved is given back. */
  signal?: AbortSignal | undefined
  /**
   * Factors between which a wait is stretched by chance; true is [0.9, 1.1]. It only lengthens, a factor below 1 counts as 1, by at
   * most one spacing of the policy. @default false
   */
  jitter?: readonly [from: number, to: number] | boolean | undefined
  /**
   * Of callers that wait for a place in flight (`concurrency`) the one with the higher priority is served first, and of those with the
   * same the one that has waited longest. A whole number from -100 to 100. @default 0
   *
   * @example limiter.run('reports', work, { priority: 5 })
   */
  priority?: number | undefined
}

// Annotated as pure: otherwise bundlers keep these calls even if nothing reserves.
export const reserveNames: readonly string[] = /* @__PURE__ */ names('maxWait')
export const waitNames: readonly string[] = /* @__PURE__ */ names('maxWait', 'signal', 'jitter', 'priority')

function names(...own: readonly string[]): readonly string[] {
  return [...askNames, ...own]
}

const oneMinuteUs = 60_000_000

/** How long a caller is ready to wait. */
export function readMaxWait(maxWait: unknown): number {
  return maxWait === undefined ? oneMinuteUs : durationOrZeroUs(maxWait, 'maxWait')
}

export function readSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal
  throw optionError('signal', 'an AbortSignal', signal)
}

export function readPriority(priority: unknown): number | undefined {
  return priority === undefined ? undefined : wholeNumber(priority, 'priority', -100, 100)
}

/** Whether the policy's callers can stand in line for what is in flight. */
export function canLine(policy: Policy | null): policy is Policy {
  return policy !== null && partsOf(policy).definition.can.includes('line')
}

/** The shortest time in which one of these policies lets one more such request pass. */
export function spacingMs(verdicts: readonly PolicyVerdict[]): number {
  return Math.min(...verdicts.map(({ check: { policy, cost } }) => spacingUs(policy, cost))) / 1000
}

/** Throws if a policy has no line: its callers reserve, and each is served at the time that it was promised, whatever its priority. */
export function refuseReserving(checks: readonly LaneCheck[]): void {
  const other = checks.find(({ policy }) => !canLine(policy))
  if (other === undefined) return
  const expected = `nothing here, as callers of ${other.policy.strategy} reserve, each after the one before`
  throw optionError('priority', expected, 'a priority')
}

/** Throws for a strategy whose guarantee breaks if callers wait longer than it says. */
export function refuseJitter(checks: readonly LaneCheck[]): void {
  for (const { policy } of checks) {
    const { noJitter } = partsOf(policy).definition
    if (noJitter !== undefined) throw optionError('jitter', `false, as ${noJitter}`, true)
  }
}
