export type { Decision, PerPolicy, Refused } from '../decision.ts'
export { optionError } from '../errors.ts'
export type { Key } from '../key.ts'
export type { Decider, Limiter, Subject } from '../limiter/limiter.ts'
export type { LimiterSettings } from '../limiter/settings.ts'
export { type NotApplicable, notApplicable } from '../not-applicable.ts'
export { isRecord, oneOf, trueOrFalse } from '../options.ts'
export type { Policy } from '../policy.ts'
export { isRefusedError, type RefusedError } from '../refused-error.ts'
export { canonicalAddress } from './address.ts'
export { asError } from './as-error.ts'
export { bringFields } from './error-fields.ts'
export type { Exchange } from './exchange.ts'
export { createGate, type Gate } from './gate.ts'
export { withHandle } from './handle.ts'
export { type LimitedFetchOptions, limitedFetch } from './limited-fetch.ts'
export type { HeaderPort } from './merge.ts'
export { networkOf } from './network.ts'
export type {
  AnyOptions,
  Handle,
  HeaderOptions,
  HttpOptions,
  KeyAnswer,
  KeyOf,
  Maybe,
  PolicyChoice,
  RateLimitOptions,
  Source,
} from './options.ts'
export { outcomeOf } from './outcome-of.ts'
export { hostNameOf, isLoopbackAddress, isLoopbackName, isOwnOrigin } from './own-origin.ts'
export { bindingDecision } from './request-state.ts'
export { createRouteGate } from './route-gate.ts'
export { guardUpgrade } from './upgrade.ts'
export type { Outcome, Refusal, RequestFacts, RequestView } from './view.ts'
export type { Work } from './work.ts'
