export { type AdaptiveLimit, adaptiveLimit } from './adaptive-limit.ts'
export type { AdaptiveLimitOptions, AimdOptions, GradientOptions, LimitChange } from './limit-options.ts'
export type { Outcome, Place } from './place.ts'
