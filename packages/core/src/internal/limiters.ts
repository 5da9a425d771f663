export { checkOf, type Lane, type LaneCheck, laneOf } from '../decision/lane.ts'
export { forPolicy } from '../decision/per-policy.ts'
export { noSuchOptionHere } from '../hints.ts'
export { PolicyLimiter } from '../limiter/policy-limiter.ts'
export { QuestionLimiter, type Questions } from '../limiter/question-limiter.ts'
export {
  type CommonSettings,
  limiterNames,
  readCommonSettings,
  readPolicies,
  readPolicy,
  settingNames,
  settingsFor,
  unknownPolicy,
} from '../limiter/settings.ts'
export { isMaker } from '../policy.ts'
