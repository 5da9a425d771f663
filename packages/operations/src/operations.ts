import { randomUUID } from 'node:crypto'
import type { Act, Decision, Observed, Observer, Policies } from '@sluice/core'
import { observing } from '@sluice/core/internal'
import { actOf, textOf } from './act-text.ts'
import { describe } from './described.ts'
import { type ChangeableLimits, ProcessLimits } from './limits/changeable-limits.ts'
import { LimitsServer } from './limits/limits-server.ts'
import { ListsServer } from './lists/lists-server.ts'
import { PolledLists, type RedisLists } from './lists/redis-lists.ts'
import { type OperationsOptions, readSettings } from './options.ts'
import { Seen } from './seen.ts'
import { type Entry, OperationsServer } from './server.ts'
import type { SeenText } from './wire.ts'

/** How often a process writes, and hears of acts. */
const everyMs = 1000
/** The limiters are described at every fifth write: there may be a thousand policies to look at. */
const describeEvery = 5
/** The most acts that wait while Redis is away; further ones do not come into the log. */
const mostWaiting = 100

/** Whether operations can write to Redis. */
export interface OperationsHealth {
  /** `down`: the last attempt to write has failed. */
  readonly status: 'ok' | 'down'
  /** The time since this process last wrote to Redis; null before it has. */
  readonly sinceMs: number | null
  /** The last failure, without keys; null while all is well. */
  readonly error: string | null
}

/** An observer that lets an engineer on call see and change the limits of this process. */
export interface Operations extends Observer {
  /**
   * Addresses and keys that are let pass, denied or blocked for a time in every process. Redis is
   * asked for them once this property has been read.
   *
   * @example createLimiter({ policy, store, observers: [ops], lists: [ops.lists] })
   */
  readonly lists: RedisLists
  /**
   * Limits that can be changed while they run, in every process that has limits of these names.
   *
   * @example
   * const limits = ops.limits({ free: gcra({ count: 100, period: '1m' }) })
   * createLimiter({ policies: limits.policies, store, observers: [ops] })
   * await limits.set('free', { count: 50 }, { for: '2h' })
   */
  limits<const P extends Policies>(policies: P): ChangeableLimits<P>
  /** Resolves once the limiters that are open now have been written to Redis, or could not be. */
  ready(): Promise<void>
  health(): OperationsHealth
  /** Ends its timer and its connection. Redis forgets this process within seconds. */
  close(): Promise<void>
}

class PublishedOperations implements Operations {
  readonly #id = randomUUID()
  readonly #server: OperationsServer
  readonly #about: { readonly service: string; readonly startedMs: number }
  readonly #open = new Set<Observed>()
  readonly #seen = new Seen()
  readonly #waiting: string[] = []
  readonly #timer: NodeJS.Timeout
  readonly #reports: observing.Reports
  #lists: PolledLists | undefined
  #limits: ProcessLimits | undefined
  #described = ''
  #turns = 0
  #after = ''
  #underWay: Promise<void> | undefined
  #error: string | undefined
  #writtenAt: number | undefined
  #closed = false

  constructor(options: OperationsOptions) {
    const settings = readSettings(options)
    this.#server = new OperationsServer(settings)
    this.#reports = new observing.Reports([], settings.logger)
    this.#about = { service: settings.service, startedMs: Date.now() }
    this.#timer = setInterval(() => void this.#publish(), everyMs)
    this.#timer.unref()
  }

  /** Begins to ask Redis for the lists at the first call. */
  get lists(): RedisLists {
    this.#lists ??= new PolledLists(new ListsServer(this.#server, (act) => this.#done(act), this.#reports))
    return this.#lists
  }

  /** Begins to ask Redis for changes at the first call. */
  limits<const P extends Policies>(policies: P): ChangeableLimits<P> {
    this.#limits ??= new ProcessLimits(
      new LimitsServer(this.#server, (act) => this.#done(act), this.#reports),
      this.#reports,
      () => this.#describeSoon(),
    )
    return this.#limits.of(policies)
  }

  limiterOpened(limiter: Observed): void {
    this.#open.add(limiter)
    this.#describeSoon()
    // By then all limiters that open at this moment have done so.
    if (this.#writtenAt === undefined) queueMicrotask(() => void this.#publish())
  }

  limiterClosed(limiter: Observed): void {
    this.#open.delete(limiter)
    this.#describeSoon()
  }

  #describeSoon(): void {
    this.#turns = 0
  }

  decided(decision: Decision, about: { readonly operation: string }): void {
    this.#seen.decided(decision, about)
  }

  /** Passes an act to the log, and to the observers of this process. */
  async #done(act: Act): Promise<void> {
    this.acted(act)
    this.#relay(act)
  }

  /** Logs an act of this process. Acts of other processes come by the log, and are not sent back. */
  acted(act: Act): void {
    if (this.#waiting.length < mostWaiting) this.#waiting.push(textOf(act, this.#id))
    void this.#publish()
  }

  async ready(): Promise<void> {
    await Promise.all([this.#publishAll(), this.#lists?.ready(), this.#limits?.ready()])
  }

  health(): OperationsHealth {
    const at = this.#writtenAt
    const sinceMs = at === undefined ? null : Math.round(performance.now() - at)
    return { status: this.#error === undefined ? 'ok' : 'down', sinceMs, error: this.#error ?? null }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#timer)
    this.#lists?.close()
    this.#limits?.close()
    // A server that hangs is not waited for, unless it lacks an act of this process.
    if (this.#waiting.length > 0) {
      await this.#underWay
      await this.#sendActs().catch(() => {})
    }
    await this.#server.close()
  }

  /** Writes once more after a write that is under way, which may lack limiters that have opened since. */
  async #publishAll(): Promise<void> {
    await this.#underWay
    await this.#publish()
  }

  /** Writes, one write at a time; never rejects. */
  #publish(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    this.#underWay ??= this.#write()
      .then(
        () => {
          this.#error = undefined
          this.#writtenAt = performance.now()
        },
        (error: unknown) => {
          this.#error = error instanceof Error ? error.message : String(error)
          this.#described = ''
          if (this.#writtenAt === undefined) this.#warn(this.#error)
        },
      )
      .finally(() => {
        this.#underWay = undefined
      })
    return this.#underWay
  }

  async #write(): Promise<void> {
    await this.#sendActs()
    const description = this.#description()
    const seen = JSON.stringify(this.#seenNow())
    const { missing, newest, acts } = await this.#server.publish(this.#id, {
      description,
      seen,
      after: this.#after,
    })
    this.#described = missing ? '' : description || this.#described
    if (this.#after === '') this.#after = newest
    for (const entry of acts) this.#hear(entry)
  }

  async #sendActs(): Promise<void> {
    for (let text = this.#waiting[0]; text !== undefined; text = this.#waiting[0]) {
      await this.#server.addAct(text)
      this.#waiting.shift()
    }
  }

  /** '' if the description is as before, or is not due. */
  #description(): string {
    if (this.#described !== '' && this.#turns++ % describeEvery !== 0) return ''
    const limits = this.#limits?.describe() ?? []
    const text = describe(this.#open, { ...this.#about, shared: this.#lists, limits })
    return text === this.#described ? '' : text
  }

  #seenNow(): SeenText {
    const away = [...this.#open].filter((limiter) => isAway(limiter)).map(({ name }) => name)
    return { atMs: Date.now(), ...this.#seen.turn(), away: [...new Set(away)].slice(0, 100) }
  }

  /** Once. Later failures are those of an outage, of which limiters say enough. */
  #warn(error: string): void {
    if (this.#closed) return
    const message = `the command sluice does not see this process, as it could not write to Redis, which it tries again: ${error}`
    this.#reports.warned({ code: 'SLUICE_OPERATIONS_UNSEEN', message })
  }

  #hear({ id, text }: Entry): void {
    this.#after = id
    const act = actOf(text)
    if (act === undefined || act.from === this.#id) return
    this.#relay(act.act)
  }

  /** Passes an act to each observer once, however many of these limiters it observes. */
  #relay(act: Act): void {
    const heard = new Set<Observer>([this])
    for (const limiter of this.#open)
      if (act.limiter === '' || limiter.name === act.limiter) limiter.relay?.(act, heard)
  }
}

function isAway(limiter: Observed): boolean {
  try {
    const { status, failedReloads } = limiter.health()
    return status === 'down' || (status === 'degraded' && failedReloads === undefined)
  } catch {
    return true
  }
}

/**
 * Lets an engineer on call see and change the limits of this process by `sluice top`, `inspect`, `block`, `unblock` and `reset`, over
 * the Redis in which they count. Give it to every limiter as an observer. Requests never wait for it.
 *
 * @example
 * const ops = operations({ redis: 'redis://localhost:6379' })
 * const limiter = createLimiter({ name: 'login', policy, store, observers: [ops] })
 * await ops.ready()
 */
export function operations(options: OperationsOptions): Operations {
  return new PublishedOperations(options)
}
