export type { Act, ActReason } from './act.ts'
export { type CheckOptions, type NotApplicable, notApplicable, type Subject } from './call-options.ts'
export type { Clock } from './clock.ts'
export type {
  Allowed,
  AllowedVerdict,
  Decision,
  Inspection,
  Penalty,
  PerPolicy,
  Refused,
  RefusedVerdict,
  Reservation,
  Taking,
  Verdict,
} from './decision/decision.ts'
export { isOptionError, isStoreError, type OptionError, type StoreError } from './errors.ts'
export type { Key } from './key.ts'
export {
  createLimiter,
  type Decider,
  type Limiter,
  type LimiterAtOnce,
  type Unsupported,
} from './limiter/limiter.ts'
export type { LimiterSettings } from './limiter/settings.ts'
export type { Listed, ListName, Lists, ListsWatcher } from './lists.ts'
export { type MemoryStoreOptions, memoryStore } from './memory/store.ts'
export type { DecidedAbout, Logger, Observed, ObservedPolicy, Observer } from './observer.ts'
export type { Ability, Policies, Policy } from './policy.ts'
export type { RedisOptions } from './redis/client.ts'
export type { GlideLike, IoredisLike, NodeRedisLike } from './redis/client-kinds.ts'
export type { RestOptions } from './redis/rest-options.ts'
export { isRefusedError, type RefusedError } from './refused-error.ts'
export type { ReserveOptions, WaitOptions } from './reserving/options.ts'
export { guardedStore } from './resilience/guard.ts'
export type { GuardOptions } from './resilience/guard-options.ts'
export { type RedisClient, type RedisStoreOptions, redisStore } from './resilience/redis-store.ts'
export type {
  AheadHealth,
  Asker,
  Change,
  Charge,
  Check,
  Command,
  FailedReload,
  FailureChoice,
  Health,
  HeldLease,
  InLine,
  KeySnapshot,
  LimiterHealth,
  LinePlace,
  Preparing,
  Question,
  Reason,
  Renewal,
  Store,
  StoreAtOnce,
  StoreEvent,
  StoreListener,
  StoreRow,
  StoreRows,
  Summary,
  Warning,
} from './store.ts'
export type { BlockFor, BlockForOptions } from './strategies/block-for.ts'
export type { Every, Instant } from './strategies/calendar-text.ts'
export { defineStrategy } from './strategies/define-strategy.ts'
export type {
  Calendar,
  CalendarWindow,
  Later,
  LineCaller,
  LineOutcome,
  StrategyDefinition,
  StrategyDraft,
  TakeCall,
} from './strategies/definition.ts'
export * from './strategies/list.ts'
export type {
  CalendarOption,
  ChoiceOption,
  CountOption,
  DeclaredOptions,
  DerivedDefault,
  DurationOption,
  ReadOptions,
  TimeZoneOption,
  WindowsOption,
} from './strategies/options.ts'
export { reservable } from './strategies/reservable.ts'
export type { Fractions, Unit } from './strategies/unit.ts'
export type { Duration } from './units.ts'
