import type { Act } from './act.ts'
import { isLater } from './answers.ts'
import type { Decision } from './decision/decision.ts'
import { cut, optionError } from './errors.ts'
import type { Key } from './key.ts'
import type { Lists } from './lists.ts'
import type { Policy } from './policy.ts'
import type { LimiterHealth, Store, StoreEvent, Warning } from './store.ts'

/** A limiter, for its observers. */
export interface Observed {
  readonly name: string
  /** The store in which it counts. */
  readonly store?: Store | undefined
  /** Its policies, in their order; a tree of limits has none, as each path meets others. */
  readonly lanes?: readonly ObservedPolicy[] | undefined
  /** The lists of addresses and keys that it obeys; undefined: none. */
  readonly lists?: { readonly given: readonly Lists[] } | undefined
  health(): LimiterHealth
  /**
   * Hands an act of another process to those observers of this limiter that are not among `heard`, and puts them there: an observer
   * of several limiters hears of it once.
   */
  relay?(act: Act, heard: Set<Observer>): void
}

/** One of a limiter's policies, for its observers. */
export interface ObservedPolicy {
  readonly name: string
  /** null: chosen anew for each call. */
  readonly policy: Policy | null
  /** How many of a list key's leading members choose the cluster slot. */
  readonly tag: number
  /** Whether it refuses nobody. */
  readonly shadow: boolean
}

/**
 * Gets events: all methods are optional and called synchronously. Errors that they throw are ignored, and so is a Promise that they
 * return, though it rejects.
 */
export interface Observer {
  /** A limiter was opened: its health can be read until `limiterClosed`. */
  limiterOpened?(limiter: Observed): void
  limiterClosed?(limiter: Observed): void
  decided?(decision: Decision, about: DecidedAbout): void
  /** Units were charged later, or given back: then they are negative. */
  adjusted?(about: { readonly limiter: string; readonly policy: string; readonly units: number }): void
  /**
   * A request in flight has lost its lease to another and continues: this process, or its connection to the store, was blocked for too
   * long.
   */
  lost?(about: { readonly limiter: string; readonly policy: string; readonly key: Key }): void
  /** Somebody has blocked, unblocked or reset a key, or set its count: here, or elsewhere where another observer brings word of it. */
  acted?(act: Act): void
  storeFailed?(event: StoreEvent): void
  storeRecovered?(event: StoreEvent): void
  warned?(about: Warning): void
}

/** How a decision came about. */
export interface DecidedAbout {
  readonly operation: Operation
  /** From asking the store to the decision; 0 if no store was asked. */
  readonly durationMs: number
  /** The kind of request, where the cost was said by one of `prices`. */
  readonly kind?: string | undefined
}

export type Operation = 'check' | 'peek' | 'reserve'
export type Logger = Pick<Console, 'warn' | 'error'>

const methods =
  'decided, adjusted, acted, lost, warned, storeFailed, storeRecovered, limiterOpened, limiterClosed'

export function readObservers(observers: readonly Observer[] = []): readonly Observer[] {
  if (!Array.isArray(observers)) throw optionError('observers', 'a list of observers', observers)
  for (const [i, observer] of observers.entries()) {
    if (!methods.split(', ').some((method) => method in Object(observer)))
      throw optionError(`observers[${i}]`, `an object with one of ${methods}`, observer)
  }
  return observers
}

export function readLogger(logger: Logger = console): Logger {
  if (typeof logger?.warn === 'function' && typeof logger.error === 'function') return logger
  throw optionError('logger', 'an object with warn() and error()', logger)
}

/** When a logger last printed an event of a kind: limiters with a common store and logger print it once. */
const printed = new WeakMap<Logger, Map<string, number>>()
/** Probes come twice a second during an outage, so they are logged less often. */
const probeQuietMs = 60_000
const quietMs = 1000

function isNews(logger: Logger, { store, kind }: StoreEvent): boolean {
  const kinds = printed.get(logger) ?? new Map<string, number>()
  printed.set(logger, kinds)
  const now = performance.now()
  const what = `${store} ${kind}`
  const last = kinds.get(what)
  if (last !== undefined && now - last < (kind === 'half-open' ? probeQuietMs : quietMs)) return false
  kinds.set(what, now)
  return true
}

const longestLine = 1000

/** One line of a log: names and foreign errors may contain line ends or terminal control characters. */
function lineOf(text: string): string {
  // One character more than is shown: the rest is cut off unread.
  const start = text.slice(0, longestLine + 1)
  // Made here, as it takes a tenth of a millisecond, and most processes log nothing.
  const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
  const shown = start.replace(unprintable, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
  return cut(shown, longestLine)
}

/** The methods of an observer that take one argument. */
type Told = Exclude<keyof Observer, 'decided'>
type About<Name extends Told> = Parameters<NonNullable<Observer[Name]>>[0]

/** The loggers that have printed a warning: many limiters may give the same one, as those of one store do. */
const printedBy = new WeakMap<Warning, WeakSet<Logger>>()

/** Reports to a limiter's observers and its logger. */
export class Reports {
  readonly #observers: readonly Observer[]
  readonly #logger: Logger
  readonly #warned = new Set<string>()
  /** Whether an observer watches decisions. If none does, they need not be timed. */
  readonly watched: boolean

  constructor(observers: readonly Observer[], logger: Logger) {
    this.#observers = observers
    this.#logger = logger
    this.watched = observers.some(({ decided }) => decided !== undefined)
  }

  /** Catches the rejection of what a listener has returned: a rejected promise that nobody awaits would end the process. */
  static ignore(answer: unknown): void {
    if (isLater(answer)) answer.then(nothing, nothing)
  }

  /** The codes of the warnings so far. */
  get warnings(): readonly string[] {
    return [...this.#warned]
  }

  /** Calls this method of each observer. */
  tell<Name extends Told>(what: Name, about: About<Name>): void {
    for (const observer of this.#observers) guarded(() => observer[what]?.(about as never))
  }

  /** On the request path: creates no function per observer. */
  decided(decision: Decision, about: DecidedAbout): void {
    for (const observer of this.#observers) {
      try {
        Reports.ignore(observer.decided?.(decision, about))
      } catch {
        // There is nowhere left to report an error.
      }
    }
  }

  /** `heard`: observers that have been told; each one told here is added. */
  acted(act: Act, heard: Set<Observer> = new Set()): void {
    for (const observer of this.#observers) {
      if (heard.has(observer)) continue
      heard.add(observer)
      guarded(() => observer.acted?.(act))
    }
  }

  /** Reports each warning once, by its code. */
  warned(warning: Warning): void {
    if (!this.#warned.has(warning.code)) this.warnedEach(warning)
  }

  /** Observers get every warning; the logger gets the first of its code, and the same warning once from all limiters. */
  warnedEach(warning: Warning): void {
    const loggers = printedBy.get(warning) ?? new WeakSet()
    if (!this.#warned.has(warning.code) && !loggers.has(this.#logger)) {
      printedBy.set(warning, loggers.add(this.#logger))
      guarded(() => this.#logger.warn(lineWithPage(warning)))
    }
    this.told(warning)
  }

  /** Tells observers alone, as the warning was logged elsewhere. */
  told(warning: Warning): void {
    this.#warned.add(warning.code)
    this.tell('warned', warning)
  }

  /** The cause of a warning is gone. */
  forget(code: string): void {
    this.#warned.delete(code)
  }

  /** Observers get every event; the logger at most one per kind and second, and one probe per minute. */
  event(event: StoreEvent, words: string = event.kind): void {
    this.tell(event.kind === 'recovered' ? 'storeRecovered' : 'storeFailed', event)
    if (isNews(this.#logger, event)) guarded(() => this.#log(event, words))
  }

  #log({ kind, store, error, sinceMs }: StoreEvent, words: string): unknown {
    const cause = error ? `: ${error.message}` : ''
    const line = lineOf(`[sluice] the store ${store} ${words}${cause}`)
    if (kind === 'failed' || kind === 'opened') return this.#logger.error(line)
    return this.#logger.warn(kind === 'late' ? line : `${line} after ${sinceMs} ms`)
  }
}

/** Where a user finds the pages: only the packages are installed. */
export const docs = 'https://github.com/sluicejs/sluice/blob/main/docs/'

/** The page says what happened, why it matters and what to do. */
function lineWithPage({ code, message }: Warning): string {
  return `${lineOf(`[sluice] ${code}: ${message}`)} (${docs}errors.md#${code.toLowerCase()})`
}

function nothing(): void {}

/** Errors of observers and loggers must not affect the request. */
function guarded(call: () => unknown): void {
  try {
    Reports.ignore(call())
  } catch {
    // There is nowhere left to report an error.
  }
}
