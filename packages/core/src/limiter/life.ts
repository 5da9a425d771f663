import { monotonicClock, realClock, type Unmoved } from '../clock.ts'
import { optionError } from '../errors.ts'
import type { Lists } from '../lists.ts'
import { type Observed, Reports } from '../observer.ts'
import { type FailedReload, healthOf, type LimiterHealth, type Store, type Warning } from '../store.ts'
import type { CommonSettings } from './settings.ts'

const reloadCode = 'SLUICE_RELOAD_FAILED'

/** A limiter from its opening to its end: the name that it holds, the store and lists that it listens to, and its health. */
export class LimiterLife {
  readonly reports: Reports
  readonly #store: Store
  readonly #lists: readonly Lists[]
  /** How often sources of limits and lists, such as files, were read again. */
  #reloads = 0
  /** The sources whose last reload has failed: why, and since when. */
  readonly #failed = new Map<string, { readonly error: string; readonly sinceUs: number }>()
  readonly #releaseName: () => void
  readonly #stopListening: readonly ((() => void) | undefined)[]

  /** `value` describes the policies: limiters of one name on one store have the same, or the second one is an OptionError. */
  constructor(settings: CommonSettings, { store, value }: { store: Store; value: string }) {
    this.#store = store
    this.#lists = settings.lists
    const reports = new Reports(settings.observers, settings.logger)
    this.#releaseName = claimName(store, { name: settings.name, value, reports })
    this.reports = reports
    const listening = settings.lists.map((lists) => lists.watch?.(this))
    this.#stopListening = [store.watch?.(reports), ...listening]
  }

  warned(warning: Warning): void {
    this.reports.warned(warning)
  }

  /** Notes that what was last written to a source could not be read, and does not apply. */
  reloadFailed({ source, error }: Pick<FailedReload, 'source' | 'error'>): void {
    this.#failed.set(source, { error, sinceUs: this.#failed.get(source)?.sinceUs ?? realClock.nowUs() })
    this.reports.told({ code: reloadCode, message: `what was in force before goes on: ${error}` })
  }

  /** Notes that what was last written to a source was read, and applies. */
  reloaded(source: string): void {
    this.#reloads++
    if (!this.#failed.delete(source)) return
    if (this.#failed.size === 0) this.reports.forget(reloadCode)
    // Nothing is wrong, so it is no warning of health().
    this.reports.tell('warned', {
      code: 'SLUICE_RELOADED',
      message: `${source} can be read again, and applies`,
    })
  }

  /** Never rejects: `health` says what is not ready. */
  async ready(): Promise<void> {
    try {
      await Promise.all([this.#store.ready?.(), ...this.#lists.map((lists) => lists.ready?.())])
    } catch {
      // health() says so.
    }
  }

  /** `asked`: the store, or one around it. */
  health(asked: Store, sleepers: number): LimiterHealth {
    const health = asked.health?.() ?? healthOf(this.#store.name)
    const warnings = [...new Set([...health.warnings, ...this.reports.warnings])]
    const known = { ...health, sleepers, ...(this.#reloads > 0 && { reloads: this.#reloads }), warnings }
    if (this.#failed.size === 0) return known
    const nowUs = realClock.nowUs()
    const failedReloads = [...this.#failed].map(([source, { error, sinceUs }]) => {
      return { source, error, sinceMs: Math.floor((nowUs - sinceUs) / 1000) }
    })
    return { ...known, status: health.status === 'ok' ? 'degraded' : health.status, failedReloads }
  }

  end(limiter: Observed): void {
    this.#releaseName()
    for (const stop of this.#stopListening) stop?.()
    this.reports.tell('limiterClosed', limiter)
  }
}

/** Open limiters of one store by name: what their policies are, and how many share them. */
interface Open extends Unmoved {
  readonly prefix: string | undefined
  readonly limiters: Map<string, { readonly value: string; open: number }>
}

// On the store itself, so that two copies of this package see one list.
const mark = Symbol.for('sluice.limiters')

function openOn(store: Store): Open {
  const marked: Store & { [mark]?: Open } = store
  const known = marked[mark]
  if (known !== undefined) return known
  const open = { store: store.name, prefix: store.prefix, limiters: new Map() }
  marked[mark] = open
  if (store.clock === undefined) monotonicClock.unmoved.add(new WeakRef(open))
  return open
}

/** So many limiters of one name are no accident: each is kept until it is closed. */
const most = 1000
const tooMany = {
  code: 'SLUICE_MADE_PER_REQUEST',
  message: 'a thousand limiters of one name are open: make one where the application is set up',
}

/** Two limiters must not share counts by accident: throws if the name is open with other policies. The returned function frees the name. */
function claimName(
  store: Store,
  { name, value, reports }: { name: string; value: string; reports: Reports },
): () => void {
  const { limiters } = openOn(store)
  const entry = limiters.get(name) ?? { value, open: 0 }
  if (entry.value !== value) {
    const expected =
      'a name of its own, as another open limiter of this name counts other policies on this store'
    throw optionError('name', expected, name)
  }
  if (store.clock === undefined) monotonicClock.frozen?.accept(store.name, name)
  limiters.set(name, entry)
  if (++entry.open === most) reports.warned(tooMany)
  let claimed = true
  return () => {
    if (claimed && --entry.open === 0) limiters.delete(name)
    claimed = false
  }
}
