export { assertAllowed, assertRefused } from './assertions.ts'
export type { AllowedFacts, RefusedFacts } from './facts.ts'
export {
  type AllowingOptions,
  allowingLimiter,
  type RefusingOptions,
  refusingLimiter,
} from './fixed-limiter.ts'
export { type FreezeOptions, type FrozenTime, freeze } from './freeze.ts'
export { manualClock } from './manual-clock.ts'
export { type DecisionMatchers, matchers } from './matchers.ts'
