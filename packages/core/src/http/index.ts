export type { Decision, PerPolicy, Refused } from '../decision/decision.ts'
export type { Key } from '../key.ts'
export type { Decider, Limiter, Subject } from '../limiter/limiter.ts'
export type { LimiterSettings } from '../limiter/settings.ts'
export { type NotApplicable, notApplicable } from '../not-applicable.ts'
export type { Policy } from '../policy.ts'
export { isRefusedError, type RefusedError } from '../refused-error.ts'
export { guardRequest } from './guard-request.ts'
export { type LimitedFetchOptions, limitedFetch } from './limited-fetch.ts'
export { networkOf } from './network.ts'
export type {
  Handle,
  HeaderOptions,
  HttpOptions,
  KeyAnswer,
  KeyOf,
  PolicyChoice,
  PolicyOrPoliciesOrLimiter,
  RateLimitOptions,
} from './options.ts'
export { outcomeOf } from './outcome-of.ts'
export { guardUpgrade } from './upgrade.ts'
export type { Outcome, Refusal, RequestView } from './view.ts'
