/** Unstable: for Sluice's own packages. A minor version may change anything here. */

export { monotonicClock, realClock } from '../clock.ts'
export { checkOf, type Lane, type LaneCheck, laneOf } from '../decision/lane.ts'
export { decisionBindsMore, keepLeases, lapseLeases, verdictsBehind } from '../decision/limiter-decision.ts'
export { forPolicy } from '../decision/per-policy.ts'
export { summaryOf } from '../decision/summary.ts'
export { wireName } from '../decision/wire-name.ts'
export { codedError, codedTypeError, lateError, optionError, storeError } from '../errors.ts'
export { canonicalAddress } from '../http/address.ts'
export { asError } from '../http/as-error.ts'
export { type Answer, type Ended, isClosed, isTakenOver, type Reply, whenClosed } from '../http/ending.ts'
export { bringFields } from '../http/error-fields.ts'
export { createGate, type Gate, withHandle } from '../http/gate.ts'
export { type Handled, handleRequest } from '../http/handle.ts'
export { type BodyFault, readJsonBody } from '../http/json-body.ts'
export { KeyAnswers } from '../http/key-answers.ts'
export { type Entry, ListTable, mostEntries, readEntry } from '../http/list-table.ts'
export { isLocalRequest, whyNotLocal } from '../http/local-request.ts'
export { type HeaderPort, writeFields } from '../http/merge.ts'
export type { AnyOptions, Maybe, Source } from '../http/options.ts'
export { hostNameOf, isLoopbackAddress, isLoopbackName, isOwnOrigin } from '../http/own-origin.ts'
export { jsonAnswer, type PlainAnswer, problemAnswer } from '../http/plain-answer.ts'
export { refusalAsError } from '../http/refusal.ts'
export { ReplyFields } from '../http/reply-fields.ts'
export { believesAnybody } from '../http/reply-trust.ts'
export { bindingDecision, stateOf, writtenFields } from '../http/request-state.ts'
export { checkShared, createRouteGate } from '../http/route-gate.ts'
export { type Connected, isUnsent } from '../http/silent-ends.ts'
export { readTrusted, serverFacts, type Trust } from '../http/trust-proxy.ts'
export type { RequestFacts } from '../http/view.ts'
export type { Work } from '../http/work.ts'
export { encodeKey, encodeText, firstFormat } from '../key.ts'
export { readReason } from '../limiter/acting.ts'
export { PolicyLimiter } from '../limiter/policy-limiter.ts'
export { type Denial, QuestionLimiter, type Questions } from '../limiter/question-limiter.ts'
export { type CommonSettings, readCommonSettings, settingNames, settingsFor } from '../limiter/settings.ts'
export { LinkedList } from '../linked-list.ts'
export { MemoryStore } from '../memory/store.ts'
export { Reports, readLogger, readObservers } from '../observer.ts'
export {
  booleanOption,
  checkNames,
  isRecord,
  nearest,
  oneOf,
  optionalFunction,
  wholeNumber,
} from '../options.ts'
export { counterparts } from '../other-libraries.ts'
export { BoundedConnection } from '../redis/bounded-connection.ts'
export { type Reached, readClient } from '../redis/client.ts'
export type { Argument, Connection } from '../redis/connection.ts'
export { fromGlide } from '../redis/glide.ts'
export { fromIoredis } from '../redis/ioredis.ts'
export { joinScript } from '../redis/join.ts'
export { KnownScripts, type ScriptSender } from '../redis/known-scripts.ts'
export { fromNodeRedis } from '../redis/node-redis.ts'
export { integerOf, listOf, malformed, timeOf } from '../redis/reply.ts'
export { RestConnection } from '../redis/rest.ts'
export { type Script, scriptOf } from '../redis/script.ts'
export { RedisStore, type RedisStoreParts } from '../redis/store.ts'
export { type TimedCall, TimedCalls } from '../redis/timed-calls.ts'
export { guardNames } from '../resilience/guard-options.ts'
export { readPrefix } from '../resilience/redis-store.ts'
export { unref } from '../runtime.ts'
export { retryAfterSeconds } from '../seconds.ts'
export { StateStore } from '../state/store.ts'
export { stateName } from '../state/transactions.ts'
export { type Blocking, blockForTimes, blockText } from '../strategies/block-for.ts'
export {
  type DeclaredStrategy,
  dataOfPolicy,
  declaredStrategies,
  exampleOf,
  optionsFor,
  type PolicyData,
  policyOfData,
  unknownStrategy,
} from '../strategies/declared.ts'
export { chosenFor, partsOf, pictureOf } from '../strategies/definition.ts'
export { horizonUs, lifeUs } from '../strategies/horizon.ts'
export { leased } from '../strategies/leased.ts'
export type { OptionWords, StrategyOption, StrategyOptions } from '../strategies/options.ts'
export { alternativeTo, isRequired } from '../strategies/options.ts'
export { type Picture, rateWindowUs, rateWords, spanWords } from '../strategies/picture.ts'
export { packedWindow, type WindowState } from '../strategies/window.ts'
export { durationOrZeroUs, durationUs, msUp } from '../units.ts'
export { lengthened } from '../waiting/jitter.ts'
export { Sleepers } from '../waiting/sleepers.ts'
