import type { Trial } from '../trial.ts'
import { allowed, denied, forgetful } from './choices.ts'
import { clockSteps } from './clocks.ts'
import {
  answersLost,
  blackholed,
  cut,
  delayed,
  flapping,
  halfClosed,
  halfOpen,
  refused,
} from './connections.ts'
import { killed, late, stopped, stoppedUncounted } from './gone.ts'
import { elsewhere, failedOver, masterLost } from './moved.ts'
import { busy, demoted, flushed, forbidden, full, loading, unauthenticated, unsaved } from './unable.ts'

/** Every trial, in the order in which they run: first those on all frameworks. */
export const trials: readonly Trial[] = [
  ...[killed, stopped, late, cut, blackholed, delayed, demoted, flapping],
  ...[halfClosed, answersLost, refused, halfOpen],
  ...[full, busy, loading, unsaved, forbidden, unauthenticated, flushed],
  ...[elsewhere, failedOver, masterLost],
  ...clockSteps,
  ...[denied, stoppedUncounted, allowed, forgetful],
]
