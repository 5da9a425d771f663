/** Unstable: for Sluice's own packages. A minor version may change anything here. */

export { isStore, promisedAnswer } from '../ask-store.ts'
export { isDateFake, monotonicClock, realClock, runningTime, type Unmoved } from '../clock.ts'
export { checkOf, type Lane, type LaneCheck, laneOf } from '../decision/lane.ts'
export {
  decisionBindsMore,
  denied,
  giveClient,
  holdsLeases,
  isDecisionShown,
  keepLeases,
  lapseLeases,
  nowUsBy,
  refusedUncounted,
  verdictsBehind,
} from '../decision/limiter-decision.ts'
export { memberOf } from '../decision/members.ts'
export { forPolicy } from '../decision/per-policy.ts'
export { summaryOf } from '../decision/summary.ts'
export { wireName } from '../decision/wire-name.ts'
export { codedError, codedTypeError, describe, lateError, optionError, storeError } from '../errors.ts'
export { noSuchOptionHere } from '../hints.ts'
export { encodeKey, encodeText, firstFormat, isKey, isKeyMember, stateName } from '../key.ts'
export { isLater } from '../later.ts'
export { readReason } from '../limiter/acting.ts'
export { isClosed } from '../limiter/delays.ts'
export { LimiterLists } from '../limiter/limiter-lists.ts'
export { PolicyLimiter } from '../limiter/policy-limiter.ts'
export { type Denial, QuestionLimiter, type Questions } from '../limiter/question-limiter.ts'
export { canLine, readMaxWait, readSignal } from '../limiter/reserving.ts'
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
export { waitNames } from '../limiter/wait-options.ts'
export { LinkedList } from '../linked-list.ts'
export { Listeners } from '../listeners.ts'
export { strongerOf } from '../lists.ts'
export { manualClock } from '../manual-clock.ts'
export { applyChange } from '../memory/adjust.ts'
export { type Block, type BlockCount, Blocks } from '../memory/blocks.ts'
export type { Keys } from '../memory/keys.ts'
export { manageKey } from '../memory/manage.ts'
export { renewOne } from '../memory/renew.ts'
export type { Place, States, StateTable } from '../memory/states.ts'
export { MemoryStore } from '../memory/store.ts'
export type { KeyTable } from '../memory/table.ts'
export { TwoPhases } from '../memory/two-phases.ts'
export { isNotApplicable } from '../not-applicable.ts'
export { Reports, readLogger, readObservers } from '../observer.ts'
export {
  booleanOption,
  checkNames,
  isRecord,
  join,
  nearest,
  oneOf,
  optionalFunction,
  wholeNumber,
} from '../options.ts'
export { counterparts } from '../other-libraries.ts'
export { placesOf } from '../places/ability.ts'
export { isMaker, isPolicy } from '../policy.ts'
export { BoundedConnection } from '../redis/bounded-connection.ts'
export { readClient } from '../redis/client.ts'
export type { Argument, Connection } from '../redis/connection.ts'
export { fromGlide, fromIoredis, fromNodeRedis, fromRest } from '../redis/connections.ts'
export { integerOf, listOf, malformed, timeOf } from '../redis/reply.ts'
export { KnownScripts, type Script, type ScriptForm, type ScriptSender, scriptOf } from '../redis/script.ts'
export { RedisStore, type RedisStoreParts } from '../redis/store.ts'
export { TimedCalls } from '../redis/timed-calls.ts'
export { refusalError, refusedError, statusOf } from '../refused-error.ts'
export type { Beginner } from '../resilience/beginning.ts'
export { guard } from '../resilience/guard.ts'
export { guardNames, readGuardOptions } from '../resilience/guard-options.ts'
export { readPrefix } from '../resilience/redis-store.ts'
export { isBlock, makeRow } from '../row.ts'
export { endedStream, type Marked, nextTurn, RandomMark, requestsApart, unref } from '../runtime.ts'
export { fieldInteger, retryAfterSeconds, secondsUp } from '../seconds.ts'
export { type Blocking, blockForTimes, blockText } from '../strategies/block-for.ts'
export { countedAhead } from '../strategies/counted-ahead.ts'
export {
  type DeclaredStrategy,
  dataOfPolicy,
  declaredStrategies,
  exampleOf,
  optionsFor,
  type PolicyData,
  policyOfData,
  strategyNamed,
  unknownStrategy,
} from '../strategies/declared.ts'
export {
  type AnyStrategy,
  chosenFor,
  isInFlight,
  partsOf,
  pictureOf,
  policyOf,
} from '../strategies/definition.ts'
export { horizonUs, lifeUs } from '../strategies/horizon.ts'
export {
  alternativeTo,
  isRequired,
  type OptionWords,
  type StrategyOption,
  type StrategyOptions,
} from '../strategies/options.ts'
export { type Picture, spanWords } from '../strategies/picture.ts'
export { spacingUs } from '../strategies/spacing.ts'
export { packedWindow, type WindowState } from '../strategies/window.ts'
export { turn } from '../turn.ts'
export { durationOrZeroUs, durationUs, msUp, stepUs } from '../units.ts'
export { Waiting } from '../waiting/deadlines.ts'
export { factorOf, type Jitter, lengthened, readJitter, usualJitter } from '../waiting/jitter.ts'
export { Sleepers } from '../waiting/sleepers.ts'
export { wakeQuietly } from '../waiting/timer.ts'
export type { Wait } from '../waiting/wait.ts'
