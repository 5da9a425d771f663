/**
 * Unstable: for Sluice's own packages. A minor version may change anything here.
 *
 * Plain names are what most packages use. What belongs to one matter is reached by the name of the matter, each a file here:
 * `decisions.verdictsBehind(decision)`.
 */

export { isLater } from '../answers.ts'
export { isDateFake, monotonicClock, realClock, runningTime } from '../clock.ts'
export { wireName } from '../decision/wire-name.ts'
export { codedError, codedTypeError, describe, optionError, storeError } from '../errors.ts'
export { encodeKey, encodeText, isKey } from '../key.ts'
export { LinkedList } from '../linked-list.ts'
export { strongerOf } from '../lists.ts'
export { MemoryStore } from '../memory/store.ts'
export {
  booleanOption,
  checkNames,
  didYouMean,
  isRecord,
  oneOf,
  optionalFunction,
  wholeNumber,
} from '../options.ts'
export { isPolicy } from '../policy.ts'
export { refusalError, refusedError, statusOf } from '../refused-error.ts'
export { partsOf } from '../strategies/policy-parts.ts'
export {
  durationOrZeroUs,
  durationUs,
  fieldInteger,
  msUp,
  retryAfterSeconds,
  secondsUp,
  stepUs,
} from '../units.ts'
/** A strategy by its name, what it declares, and policies as data. */
export * as catalogue from './catalogue.ts'
/** What a decision holds that its caller does not see, and decisions without a count. */
export * as decisions from './decisions.ts'
/** What a policy's strategy makes of it: how far apart requests are, how long keys live, how it blocks. */
export * as definitions from './definitions.ts'
/** For what a package keeps in Redis beside counts: connections, scripts of its own, their replies. */
export * as inRedis from './in-redis.ts'
/** Limiters that ask other questions than those of `createLimiter`, their settings and their checks. */
export * as limiters from './limiters.ts'
/** Observers and loggers, and what they are given. */
export * as observing from './observing.ts'
/** A store's operations on states that a database keeps. */
export * as onStates from './on-states.ts'
/** How pages and reports describe and draw a policy. */
export * as pictures from './pictures.ts'
/** What differs from runtime to runtime. */
export * as runtime from './runtime.ts'
/** For a store of one's own: the guard around it, its rows, its listeners. */
export * as stores from './stores.ts'
/** How callers wait: their options, sleeps and timers. */
export * as waits from './waits.ts'
