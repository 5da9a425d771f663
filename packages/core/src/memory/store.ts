import { type Clock, monotonicClock } from '../clock.ts'
import { optionError } from '../errors.ts'
import { Listeners } from '../listeners.ts'
import { checkNames, hints, noSuchOptionHere, wholeNumber } from '../options.ts'
import { placesOf } from '../places/ability.ts'
import type { Marked } from '../runtime.ts'
import {
  type Change,
  type Command,
  type Counted,
  type Counter,
  type Health,
  type HeldLease,
  healthOf,
  type InLine,
  type LinePlace,
  type Question,
  type Renewal,
  type StoreAtOnce,
  type StoreListener,
  type StoreRows,
} from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import { applyChange } from './adjust.ts'
import { MemoryCounter } from './counter.ts'
import type { IsHeld } from './evictor.ts'
import { Keys } from './keys.ts'
import { manageKey } from './manage.ts'
import { TwoPhases } from './two-phases.ts'

export interface MemoryStoreOptions {
  /** Keys kept at most, blocked ones among them; beyond it idle keys go, exhausted and blocked keys stay. @default 100_000 */
  maxKeys?: number | undefined
  /** @default monotonic */
  clock?: Clock | undefined
}

const unmarked: Marked = { text: '' }
const noneHeld = () => false

/** Counts in this process. Decides at once: `answer` gives rows, not a promise. */
export class MemoryStore implements StoreAtOnce {
  readonly name = 'memory'
  readonly atOnce = true
  readonly can = ['reward', 'set', 'line', 'blockFor', 'upTo'] as const
  readonly clock: Clock
  /** The counts themselves, for stores that write them elsewhere. */
  readonly keys: Keys
  readonly #listeners = new Listeners()
  readonly #startedUs: number
  readonly #phases: TwoPhases

  /** Receipts begin with `mark`, so that they differ from those of other stores. `isHeld`: whether more about a key is kept elsewhere. */
  constructor(maxKeys: number, clock: Clock, mark: Marked = unmarked, isHeld: IsHeld = noneHeld) {
    this.clock = clock
    this.keys = new Keys(maxKeys, () => this.#warnFull(), isHeld)
    this.#phases = new TwoPhases(this.keys, mark)
    this.#startedUs = clock.nowUs()
  }

  answer(question: Question): StoreRows {
    return this.#phases.answer(question, this.clock.nowUs())
  }

  counter(counted: Counted): Counter | undefined {
    // With `wants` each call has a mark of its own, which a counter does not make.
    if (partsOf(counted.policy).definition.wants !== undefined) return undefined
    return new MemoryCounter(this, this.#phases, counted)
  }

  #warnFull(): void {
    const code = 'SLUICE_MEMORY_FULL'
    if (this.#listeners.codes.has(code)) return
    const message =
      'maxKeys keys are all exhausted or blocked: unknown keys share one count per policy; raise maxKeys'
    this.#listeners.warned({ code, message })
  }

  adjust(changes: readonly Change[]): void {
    for (const change of changes) applyChange(this.keys, change, this.clock.nowUs())
  }

  /**
   * Corrects as of `atUs`, which may be before now, or after it where the units are used later. A key that shares its count with other
   * keys is corrected as of now, since those may have been counted meanwhile.
   */
  adjustAt(change: Change, atUs: number): void {
    const nowUs = this.clock.nowUs()
    const { check } = change
    const usedUs = this.keys.tableOf(check).shares(check.key) ? nowUs : atUs
    applyChange(this.keys, change, Math.min(usedUs, nowUs), usedUs)
  }

  renew(held: readonly HeldLease[]): readonly Renewal[] {
    return held.map((each) => placesOf(each.check)?.renew(this.keys, each, this.clock.nowUs()) ?? 'lost')
  }

  line(callers: readonly InLine[]): readonly LinePlace[] {
    const [first] = callers
    const places = first && placesOf(first.check)
    return places?.stand(this.keys, callers, this.clock.nowUs()) ?? []
  }

  manage(command: Command): unknown {
    return manageKey(this.keys, command, this.clock.nowUs())
  }

  watch(listener: StoreListener): () => void {
    return this.#listeners.add(listener)
  }

  async ready(): Promise<void> {}

  health(): Health {
    return {
      ...healthOf(this.name),
      sinceMs: Math.floor((this.clock.nowUs() - this.#startedUs) / 1000),
      keys: this.keys.size,
      warnings: [...this.#listeners.codes],
    }
  }

  async close(): Promise<void> {}
}

/** Throws for a clock that tells no finite time: compared with NaN, no count exceeds its limit, so everything would pass. */
function checkClock(clock: Clock): void {
  if (typeof clock?.nowUs !== 'function') throw optionError('clock', 'a clock with nowUs()', clock)
  const nowUs: unknown = clock.nowUs()
  if (!Number.isFinite(nowUs)) throw optionError('clock.nowUs', 'a function that returns microseconds', nowUs)
}

/**
 * Counts in this process's memory: for one process, for tests, and as the fallback while Redis is away.
 *
 * @example createLimiter({ policy, store: memoryStore({ maxKeys: 10_000 }) })
 */
export function memoryStore(options: MemoryStoreOptions = {}, ...more: []): StoreAtOnce {
  hints.oneArgument?.(more)
  checkNames(options, '', ['maxKeys', 'clock'], noSuchOptionHere)
  const { maxKeys = 100_000, clock = monotonicClock } = options
  checkClock(clock)
  return new MemoryStore(wholeNumber(maxKeys, 'maxKeys', 1), clock)
}
