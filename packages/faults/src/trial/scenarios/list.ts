import type { Trial } from '../trial.ts'
import { allowed, denied } from './choices.ts'
import { datesBehind } from './clocks.ts'
import { blackholed, halfOpen } from './connections.ts'
import { killed, late, stopped } from './gone.ts'

/**
 * Every trial, in the order in which they run: first those on all frameworks. All other troubles of Redis are played in virtual time, and
 * `packages/simulation/test/outage` shows that callers see the same of it there.
 */
export const trials: readonly Trial[] = [
  ...[killed, stopped, late, blackholed],
  ...[halfOpen, datesBehind, denied, allowed],
]
