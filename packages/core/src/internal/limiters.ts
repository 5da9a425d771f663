export { checkOf, type Lane, type LaneCheck, laneOf, mustFollow } from '../decision/lane.ts'
export { noSuchOptionHere, oneArgument, warnOfShortTimes } from '../hints.ts'
export { PolicyLimiter } from '../limiter/policy-limiter.ts'
export { unknownPolicy } from '../limiter/policy-names.ts'
export { costFor } from '../limiter/prices.ts'
export { QuestionLimiter, type Questions } from '../limiter/question-limiter.ts'
export {
  type CommonSettings,
  limiterNames,
  readCommonSettings,
  readPolicies,
  readPolicy,
  settingNames,
  settingsFor,
} from '../limiter/settings.ts'
export { isMaker } from '../policy.ts'
export { readAmount } from '../strategies/unit.ts'
