import { optionError } from '../errors.ts'
import type { Policy } from '../policy.ts'
import { type LineLimiter, placesOf } from './ability.ts'

/** Throws unless callers of the limiter can wait for a place. `verb`: what the caller has called. */
export function mustBeAbleToWait(limiter: LineLimiter, verb: 'wait' | 'run'): void {
  mustStandAlone(limiter.lanes)
  limiter.storeMustBeAble('line', verb)
}

/** Throws unless a policy with places decides alone: another one might refuse a caller when its turn has come. */
export function mustStandAlone(checks: readonly { readonly policy: Policy | null }[]): void {
  const [only] = checks
  if (checks.length === 1 && only?.policy && placesOf({ policy: only.policy }) !== undefined) return
  const names = checks.map(({ policy }) => policy?.strategy ?? 'one chosen for each call').join(', ')
  const expected =
    'one policy, of concurrency, where callers wait for a place: use two limiters in a row, the waiting one first'
  throw optionError('policies', expected, names)
}
