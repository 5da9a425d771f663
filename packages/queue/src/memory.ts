import type { Clock } from '@sluice/core'
import { msUp, observing } from '@sluice/core/internal'
import { nextPlace, waitMs } from './drain.ts'
import { Failures } from './failures.ts'
import type { Jobs } from './jobs.ts'
import { Bell } from './memory-bell.ts'
import type { Entry } from './memory-entries.ts'
import { MemoryMember } from './memory-member.ts'
import { type DeadLetter, State } from './memory-state.ts'
import { type QueueSettings, readClock, readSettings } from './options.ts'
import type { Offer, Queue, QueueHealth, QueueOptions, TicketStatus } from './queue.ts'
import { isTooLarge, jobText } from './texts.ts'
import { newTicket } from './ticket.ts'

export interface MemoryQueueOptions extends Omit<QueueOptions, 'redis' | 'deadline'> {
  /** @default monotonic */
  clock?: Clock | undefined
}

/** A queue within one process. */
export interface MemoryQueue<Job, Result> extends Queue<Job, Result> {
  /** The jobs that failed for good, the latest last. */
  deadLetters(): readonly DeadLetter<Job>[]
}

class EmbeddedQueue<Job, Result> implements MemoryQueue<Job, Result> {
  readonly name: string
  readonly jobs: Jobs<Job, Result>
  readonly #settings: QueueSettings
  readonly #clock: Clock
  readonly #state: State<Job, Result>
  readonly #bell: Bell
  readonly #reports: observing.Reports

  constructor(settings: QueueSettings, clock: Clock) {
    const bell = new Bell(clock)
    const state = new State<Job, Result>(settings)
    this.name = settings.name
    this.#settings = settings
    this.#clock = clock
    this.#state = state
    this.#bell = bell
    this.#reports = new observing.Reports(settings.observers, settings.logger)
    const failures = new Failures(this.#reports, settings.name)
    this.jobs = { join: (options) => new MemoryMember({ state, bell, failures, clock }, options) }
    this.#reports.warned({
      code: 'SLUICE_QUEUE_FORGETS',
      message: `the queue "${settings.name}" is kept in this process's memory: waiting jobs are lost when the process ends; use streamQueue with Redis to keep them`,
    })
  }

  async offer(job: Job): Promise<Offer> {
    const text = jobText(job)
    const { limit, maxJobBytes } = this.#settings
    if (isTooLarge(text, maxJobBytes)) return { allowed: false, reason: 'too-large', retryAfterMs: null }
    const nowUs = this.#clock.nowUs()
    if (this.#state.entries.length >= limit) return this.#refuse(nowUs)
    const entry = this.#state.add(newTicket(), text, nowUs)
    this.#bell.ring()
    return { allowed: true, ticket: entry.ticket, ...this.#placeOf(entry) }
  }

  #refuse(nowUs: number): Offer {
    const { measure, entries } = this.#state
    const waiting = entries.fresh > 0
    const { returnUs, retryAfterUs } = nextPlace(measure, nowUs, { limit: this.#settings.limit, waiting })
    this.#state.measure = { ...measure, returnUs }
    return { allowed: false, reason: 'full', retryAfterMs: msUp(retryAfterUs) }
  }

  #placeOf(entry: Entry): { readonly position: number; readonly waitMs: number | null } {
    const position = this.#state.entries.positionOf(entry)
    return { position, waitMs: waitMs(this.#state.measure, this.#clock.nowUs(), position) }
  }

  async status(ticket: string): Promise<TicketStatus<Result> | undefined> {
    const entry = this.#state.entries.get(ticket)
    if (entry !== undefined) {
      return entry.holder === null
        ? { state: 'waiting', ...this.#placeOf(entry) }
        : { state: 'running', attempt: entry.attempt }
    }
    const text = this.#state.results.get(ticket, this.#clock.nowUs())
    return text === undefined ? undefined : JSON.parse(text)
  }

  deadLetters(): readonly DeadLetter<Job>[] {
    return [...this.#state.dead]
  }

  async health(): Promise<QueueHealth> {
    const { entries, doneCount, deadCount } = this.#state
    const { oldest, waiting } = entries
    return {
      waiting,
      running: entries.length - waiting,
      oldestMs: oldest === undefined ? null : msUp(this.#clock.nowUs() - oldest.arrivedUs),
      done: doneCount,
      dead: deadCount,
      warnings: this.#reports.warnings,
    }
  }

  async ready(): Promise<void> {}

  async close(): Promise<void> {}
}

/**
 * A queue in this process's memory: for a single process, for tests, for a first try. It is lost when the process ends,
 * and warns of that once (`SLUICE_QUEUE_FORGETS`). For work that must survive the process, or for several processes, use `streamQueue`.
 *
 * @example
 * const queue = memoryQueue<Order, Ticket>({ name: 'orders', limit: 100 })
 * const work = processor(queue, sell, { concurrency: 4 })
 */
export function memoryQueue<Job, Result = void>(options: MemoryQueueOptions): MemoryQueue<Job, Result> {
  return new EmbeddedQueue(readSettings(options, 'memory'), readClock(options.clock))
}
