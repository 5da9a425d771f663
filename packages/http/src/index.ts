export type {
  Decider,
  Decision,
  Key,
  Limiter,
  LimiterSettings,
  PerPolicy,
  Policy,
  Refused,
  Subject,
} from '@sluice/core'
export { isRefusedError, type NotApplicable, notApplicable, type RefusedError } from '@sluice/core'
export { networkOf } from './address.ts'
export { guardRequest, type ServerAnswer } from './guard-request.ts'
export { type LimitedFetchOptions, limitedFetch } from './limited-fetch.ts'
export { mergeUpstream } from './merge-upstream.ts'
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
export type { Outcome, Refusal, RequestView } from './request-view.ts'
export { guardUpgrade } from './upgrade.ts'
