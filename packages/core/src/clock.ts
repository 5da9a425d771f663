import { nodeProcess, ownPerformance } from './runtime.ts'

/** A source of time, injected so that tests can move it. */
export interface Clock {
  /** Whole microseconds; never steps back. */
  nowUs(): number
  /** @default real timers */
  sleep?(ms: number, signal?: AbortSignal): Promise<void>
}

/** What is due at instants of a timeline. */
export interface Agenda {
  /** When the first of them is due, in milliseconds of the timeline. */
  readonly firstMs: number
  /** Rings what is due now. */
  look(): void
  /** Time has begun to stand still, or to run again. */
  turned(): void
}

/** A store that counts by a time which no test moves, and its open limiters. */
export interface Unmoved {
  readonly store: string
  /** With which its keys in Redis begin; undefined for a store elsewhere. */
  readonly prefix: string | undefined
  readonly limiters: ReadonlyMap<string, { readonly value: string }>
}

/** Time that stands still. */
interface Frozen {
  /** Throws where a limiter of this store is not to be opened, as its time would go on. */
  accept(store: string, limiter: string): void
}

/** A clock of this process, with all that waits for its time. */
export interface Timeline extends Clock {
  /** The agendas that have something due. */
  readonly agendas: Set<Agenda>
  readonly unmoved: Set<WeakRef<Unmoved>>
  frozen: Frozen | undefined
}

/** Whether the fake timers of a test runner hold `Date`: those of @sinonjs/fake-timers (jest, vitest), node:test or vitest. */
export function isDateFake(): boolean {
  return 'isFake' in Date || 'isMock' in Date || Date.name === 'MockDate'
}

const { hrtime, uptime } = nodeProcess ?? {}

function byHrtime(): number {
  const now = (hrtime as NodeJS.HRTime)() // as was asked when it was chosen
  return now[0] * 1e6 + Math.floor(now[1] / 1000)
}

/** By `hrtime` it costs three quarters of `performance.now()`, mostly in the system. */
const fakeableUs = hrtime ? byHrtime : () => Math.floor(ownPerformance().now() * 1000)

/** Whole microseconds since some instant in the past; by a function that no test runner fakes, if this file is loaded under fake timers. */
const elapsedUs = isDateFake() && uptime ? () => Math.floor(uptime() * 1e6) : fakeableUs

/** The wall clock's time now, as far as the system knows it: whole microseconds since 1970. */
function wallClockUs(): number {
  const own = ownPerformance()
  return Math.round((own.timeOrigin + own.now()) * 1000)
}

/** What the wall clock showed when `elapsedUs` was 0. NaN until the first instant: loading what knows it takes a millisecond. */
let originUs = Number.NaN

function realUs(): number {
  if (Number.isNaN(originUs)) originUs = wallClockUs() - elapsedUs()
  return originUs + elapsedUs()
}

/** Starts at the wall clock's time at process start; later steps of the wall clock do not affect it. No test moves it. */
export const realClock: Clock = { nowUs: realUs }

/** The real `Date`; undefined until the first instant. */
let trueDate: DateConstructor | undefined

/** `realUs` without its test, as `trueDate` is set only where `originUs` is known. */
function runningUs(): number {
  return Date === trueDate ? originUs + elapsedUs() : otherwiseUs()
}

/** The time at the first instant, or where `Date` is another than at the last one: that of fake timers, or another real one. */
function otherwiseUs(): number {
  if (!isDateFake()) {
    trueDate = Date
    return realUs()
  }
  const us = Math.floor(Date.now() * 1000)
  return Number.isNaN(us) ? realUs() : us
}

function timeline(): Timeline {
  return { nowUs: runningUs, agendas: new Set(), unmoved: new Set(), frozen: undefined }
}

/** The real time, or that of fake timers; nothing freezes it. For what waits by the time of a server. */
export const runningTime: Timeline = timeline()

// Kept on the global object, so that two copies of this package have one time.
const mark = Symbol.for('sluice.time')
const shared = globalThis as { [mark]?: Timeline } // nothing else uses this symbol
shared[mark] ??= timeline()

/** The real time, or that of fake timers, until a test freezes it: for all that counts in this process. */
export const monotonicClock: Timeline = shared[mark]
