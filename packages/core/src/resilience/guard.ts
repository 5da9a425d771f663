import { monotonicClock } from '../clock.ts'
import { isOneKeysFault, optionError, storeError } from '../errors.ts'
import { MemoryStore } from '../memory/store.ts'
import { checkNames, wholeNumber } from '../options.ts'
import type { Policy } from '../policy.ts'
import type { Change, Command, Health, Question, Rows, Store, StoreEvent, StoreListener } from '../store.ts'
import { type Duration, durationUs } from '../units.ts'
import { Breaker } from './breaker.ts'
import { Deadlines } from './deadlines.ts'
import { decideWithout, splitChanges } from './degraded.ts'

export interface GuardOptions {
  /** Longest that a request is held up. @default '100ms' */
  deadline?: Duration | undefined
  /** Keys of the local fallback. @default 100_000 */
  maxKeys?: number | undefined
}

export const guardNames = ['deadline', 'maxKeys'] as const

/** Options of a guard, as it keeps them. */
export interface Guarding {
  readonly deadlineUs: number
  readonly maxKeys: number
}

export function readGuardOptions({ deadline = '100ms', maxKeys = 100_000 }: GuardOptions): Guarding {
  return { deadlineUs: durationUs(deadline, 'deadline'), maxKeys: wholeNumber(maxKeys, 'maxKeys', 1) }
}

/** How long `ready` waits for the first answer: a start may take its time, unlike a request. */
const longestReadyMs = 5000

/** A store around a store: bounds its waits, spares it while it is sick, and answers without it meanwhile. */
class GuardedStore implements Store {
  readonly name: string
  readonly #inner: Store
  readonly #fallback: Store
  readonly #deadlines: Deadlines
  readonly #breaker: Breaker
  readonly #listeners = new Set<StoreListener>()
  readonly #warnings: string[] = []
  #failures = 0
  #fallbackDecisions = 0
  #lateReplies = 0
  #closed = false

  constructor(inner: Store, { deadlineUs, maxKeys }: Guarding) {
    this.name = inner.name
    this.#inner = inner
    this.#fallback = new MemoryStore(maxKeys, monotonicClock)
    this.#fallback.watch?.({ event: () => {}, warned: (warning) => this.#warned(warning) })
    this.#deadlines = new Deadlines(inner.name, deadlineUs / 1000)
    this.#breaker = new Breaker(
      () => this.#deadlines.bound(Promise.resolve(inner.ready?.())),
      (event) => this.#tell(event),
    )
    inner.watch?.({ event: (event) => this.#tell(event), warned: (warning) => this.#warned(warning) })
  }

  decide(questions: readonly Question[]): readonly Rows[] | Promise<readonly Rows[]> {
    if (this.#breaker.open || this.#closed) return this.#without(questions)
    const askedAt = performance.now()
    let answer: readonly Rows[] | Promise<readonly Rows[]>
    try {
      answer = this.#inner.decide(questions)
    } catch (error) {
      this.#failed(error, askedAt)
      return this.#without(questions)
    }
    return answer instanceof Promise ? this.#within(answer, questions, askedAt) : answer
  }

  async #within(
    answer: Promise<readonly Rows[]>,
    questions: readonly Question[],
    askedAt: number,
  ): Promise<readonly Rows[]> {
    try {
      const rows = await this.#deadlines.bound(answer, (late) => this.#late(questions, late))
      this.#breaker.succeeded()
      return rows
    } catch (error) {
      this.#failed(error, askedAt)
      return this.#without(questions)
    }
  }

  #without(questions: readonly Question[]): readonly Rows[] {
    this.#fallbackDecisions += questions.length
    return decideWithout(this.#fallback, questions, Math.max(1000, this.#breaker.retryAfterMs))
  }

  /** The request was answered elsewhere: what this reply took is given back, once. */
  #late(questions: readonly Question[], answers: readonly Rows[]): void {
    this.#lateReplies++
    this.#tell({ kind: 'late', sinceMs: this.#breaker.sinceMs })
    const changes: Change[] = []
    for (const [i, { checks }] of questions.entries()) {
      for (const [j, check] of checks.entries()) {
        const receipt = answers[i]?.[j]?.receipt ?? ''
        if (receipt !== '') changes.push({ check, receipt, byUnits: -check.cost })
      }
    }
    if (changes.length > 0) this.#ignore(this.#inner.adjust(changes))
  }

  async adjust(changes: readonly Change[]): Promise<void> {
    const { local, remote } = splitChanges(changes)
    if (local.length > 0) await this.#fallback.adjust(local)
    if (remote.length === 0) return
    if (this.#breaker.open) {
      // Penalties count where decisions are made; a receipt of the store's means nothing here.
      await this.#fallback.adjust(remote.filter(({ receipt }) => receipt === null))
      return
    }
    await this.#bounded(Promise.resolve(this.#inner.adjust(remote)))
  }

  async manage(command: Command): Promise<unknown> {
    try {
      if (this.#breaker.open) throw storeError(this.name, `the store ${this.name} does not answer`)
      return await this.#bounded(Promise.resolve(this.#inner.manage(command)))
    } catch (error) {
      if (command.op !== 'inspect') this.#fallback.manage(command)
      throw storeError(this.name, `${command.op}: the store ${this.name} does not answer`, error)
    }
  }

  accept(policy: Policy, path: string): void {
    this.#inner.accept?.(policy, path)
  }

  watch(listener: StoreListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Rejects when the first attempt has failed; the store goes on trying. */
  async ready(): Promise<void> {
    const askedAt = performance.now()
    const patience = new Deadlines(this.name, longestReadyMs)
    try {
      await patience.bound(Promise.resolve(this.#inner.ready?.()))
    } catch (error) {
      this.#failed(error, askedAt)
      throw error
    } finally {
      patience.stop()
    }
  }

  health(): Health {
    const { open, failing, sinceMs } = this.#breaker
    return {
      status: open ? 'down' : failing ? 'degraded' : 'ok',
      store: this.name,
      sinceMs,
      failures: this.#failures,
      fallbackDecisions: this.#fallbackDecisions,
      lateReplies: this.#lateReplies,
      keys: this.#fallback.health?.().keys ?? 0,
      warnings: [...this.#warnings],
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#breaker.stop()
    this.#deadlines.stop()
    await this.#inner.close()
  }

  /** A promise of the store's, bounded by the deadline; its failure counts. */
  async #bounded<T>(promise: Promise<T>): Promise<T> {
    const askedAt = performance.now()
    try {
      return await this.#deadlines.bound(promise)
    } catch (error) {
      this.#failed(error, askedAt)
      throw error
    }
  }

  #failed(error: unknown, askedAt: number): void {
    this.#failures++
    if (isOneKeysFault(error)) return
    this.#breaker.failed(error instanceof Error ? error : storeError(this.name, String(error)), askedAt)
  }

  #ignore(promise: void | Promise<void>): void {
    const askedAt = performance.now()
    Promise.resolve(promise).catch((error: unknown) => this.#failed(error, askedAt))
  }

  #tell(event: Omit<StoreEvent, 'store'>): void {
    for (const listener of this.#listeners) listener.event({ ...event, store: this.name })
  }

  #warned(warning: Parameters<StoreListener['warned']>[0]): void {
    if (!this.#warnings.includes(warning.code)) this.#warnings.push(warning.code)
    for (const listener of this.#listeners) listener.warned(warning)
  }
}

export function guard(store: Store, guarding: Guarding): Store {
  return new GuardedStore(store, guarding)
}

/**
 * Bounds a store's waits and answers without it while it is away. `redisStore` does this by itself; for stores of your own.
 *
 * @example guardedStore(myStore, { deadline: '100ms' })
 */
export function guardedStore(store: Store, options: GuardOptions = {}): Store {
  checkNames(options, '', guardNames)
  if (typeof store?.decide !== 'function') throw optionError('store', 'a store', store)
  return guard(store, readGuardOptions(options))
}
