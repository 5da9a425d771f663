import type { Decision } from './decision.ts'
import type { StoreEvent, Warning } from './store.ts'

/** Sees what happens: all methods optional, called synchronously, never able to throw into a request. */
export interface Observer {
  decided?(decision: Decision, about: { readonly operation: Operation; readonly durationMs: number }): void
  adjusted?(about: { readonly limiter: string; readonly policy: string; readonly units: number }): void
  storeFailed?(event: StoreEvent): void
  storeRecovered?(event: StoreEvent): void
  warned?(about: Warning): void
}

export type Operation = 'check' | 'peek' | 'reserve'
export type Logger = Pick<Console, 'warn' | 'error'>

/** When a logger was last told an event of a kind: limiters that share a store and a logger print it once. */
const told = new WeakMap<Logger, Map<string, number>>()
const quietMs = 1000

function isNews(logger: Logger, { store, kind }: StoreEvent): boolean {
  const kinds = told.get(logger) ?? new Map<string, number>()
  told.set(logger, kinds)
  const now = performance.now()
  const last = kinds.get(`${store} ${kind}`)
  if (last !== undefined && now - last < quietMs) return false
  kinds.set(`${store} ${kind}`, now)
  return true
}

/** What a limiter tells its observers and its logger. */
export class Reports {
  readonly #observers: readonly Observer[]
  readonly #logger: Logger
  readonly #warned = new Set<string>()

  constructor(observers: readonly Observer[], logger: Logger) {
    this.#observers = observers
    this.#logger = logger
  }

  /** Codes of what was warned of. */
  get warnings(): readonly string[] {
    return [...this.#warned]
  }

  /** false: nobody watches decisions, so that nobody need time them. */
  get watched(): boolean {
    return this.#observers.length > 0
  }

  decided(decision: Decision, about: { operation: Operation; durationMs: number }): void {
    for (const observer of this.#observers) guarded(() => observer.decided?.(decision, about))
  }

  adjusted(about: { limiter: string; policy: string; units: number }): void {
    for (const observer of this.#observers) guarded(() => observer.adjusted?.(about))
  }

  /** Each warning once, by its code. */
  warned(warning: Warning): void {
    if (!this.#warned.has(warning.code)) this.warnedEach(warning)
  }

  /** Every one to the observers; to the logger the first of its code. */
  warnedEach(warning: Warning): void {
    if (!this.#warned.has(warning.code)) {
      guarded(() => this.#logger.warn(`[sluice] ${warning.code}: ${warning.message}`))
    }
    this.#warned.add(warning.code)
    for (const observer of this.#observers) guarded(() => observer.warned?.(warning))
  }

  /** Every event to the observers; to the logger at most one of a kind a second. */
  event(event: StoreEvent): void {
    for (const observer of this.#observers) {
      guarded(() =>
        event.kind === 'recovered' ? observer.storeRecovered?.(event) : observer.storeFailed?.(event),
      )
    }
    if (event.kind === 'late' || event.kind === 'half-open' || !isNews(this.#logger, event)) return
    guarded(() => this.#log(event))
  }

  #log({ kind, store, error, sinceMs }: StoreEvent): void {
    const cause = error === undefined ? '' : `: ${error.message}`
    if (kind === 'recovered')
      this.#logger.warn(`[sluice] the store ${store} answers again after ${sinceMs} ms`)
    else this.#logger.error(`[sluice] the store ${store} ${kind}${cause}`)
  }
}

/** An observer's or a logger's own fault is not the request's. */
function guarded(call: () => void): void {
  try {
    call()
  } catch {
    // Nobody is left to tell.
  }
}
