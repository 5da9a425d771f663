export { monotonicClock } from '../clock.ts'
export { optionError, storeError } from '../errors.ts'
export { encodeText } from '../key.ts'
export { Reports } from '../observer.ts'
export {
  checkNames,
  functionOrNothing,
  isRecord,
  nearest,
  oneOf,
  trueOrFalse,
  wholeNumber,
} from '../options.ts'
export { retryAfterSeconds } from '../seconds.ts'
export { pictureOf } from '../strategies/definition.ts'
export { horizonUs } from '../strategies/horizon.ts'
export { type Picture, rateWindowUs, rateWords, spanWords } from '../strategies/picture.ts'
export { durationOrZeroUs, durationUs, msUp } from '../units.ts'
export { lengthened } from '../waiting/jitter.ts'
export { Sleepers } from '../waiting/sleepers.ts'
export { answersBehind, type NamedCheck } from './decided.ts'
export { checkOf, type Lane, laneOf } from './lane.ts'
export { forPolicy } from './per-policy.ts'
export { QuestionLimiter } from './question-limiter.ts'
export type { Denial, Questions } from './questions.ts'
export { type CommonSettings, settingNames, settleCommon } from './settings.ts'
export { summaryOf } from './summary.ts'
