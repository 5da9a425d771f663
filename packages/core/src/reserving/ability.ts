import type { AnyCheckOptions, AnySubject } from '../call-options.ts'
import type { Allowed, Decision } from '../decision/decision.ts'
import type { LineLimiter, WaitingCall } from '../places/ability.ts'
import type { Policy } from '../policy.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { ReserveOptions, WaitOptions } from './options.ts'

/** What waiting callers need of their limiter. */
export interface WaitingLimiter extends LineLimiter {
  decide(
    subject: AnySubject,
    options: AnyCheckOptions,
    operation: 'reserve',
    maxWaitUs: number,
  ): Decision | Promise<Decision>
  /** Throws if a policy lacks the ability; `verb`: what the caller has called. */
  mustBeAble(ability: 'reserve', verb: 'reserve' | 'wait' | 'run'): void
}

/** What lets callers reserve and wait. It comes with the strategies that can, so that bundles without them leave it out. */
export interface Reserving {
  reserve(
    limiter: WaitingLimiter,
    subject: AnySubject,
    options: AnyCheckOptions & ReserveOptions,
  ): Decision | Promise<Decision>
  wait(
    limiter: WaitingLimiter,
    subject: AnySubject,
    options: AnyCheckOptions & WaitOptions,
  ): Decision | Promise<Decision>
  run<T>(
    limiter: WaitingLimiter,
    subject: AnySubject,
    about: { work: (decision: Allowed) => T | Promise<T>; options: AnyCheckOptions & WaitOptions },
  ): Promise<T>
  /** Reserves, or waits in line for a place in flight. Answers when it is time, or at once if there is no wait. */
  delay(limiter: WaitingLimiter, subject: AnySubject, call: WaitingCall): Decision | Promise<Decision>
}

/** What lets callers of a policy reserve and wait; undefined: its strategy cannot. */
export function reservingOf(policy: Policy): Reserving | undefined {
  return partsOf(policy).definition.reserving as Reserving | undefined // strategies get it from reserving.ts
}
