import type { Clock, Duration } from '@sluice/core'
import {
  checkNames,
  codedError,
  durationOrZeroUs,
  limiters,
  msUp,
  observing,
  optionError,
  waits,
} from '@sluice/core/internal'
import type { Handed, Member, Outcome } from './jobs.ts'
import { Outages } from './outages.ts'
import { type Processing, type ProcessorOptions, readProcessing } from './processor-options.ts'
import type { Queue } from './queue.ts'
import { Retries } from './retries.ts'
import { errorText, messageOf } from './texts.ts'

/** What work gets to know about its entry. */
export interface About {
  readonly ticket: string
  /** 1 for the first. */
  readonly attempt: number
  /** Aborted when another processor has the entry, so that this result will not count, or when `stop` has timed out. */
  readonly signal: AbortSignal
}

export type Work<Job, Result> = (job: Job, about: About) => Promise<Result>

export interface Processor {
  /**
   * Takes no more entries, lets running work finish, and leaves the queue. After `timeout` the signals are aborted, and work that
   * still runs is left to other processors, with its attempt used. @default no timeout
   */
  stop(options?: { timeout?: Duration | undefined }): Promise<void>
}

interface Run<Job> {
  /** The entry as it was handed out last. */
  handed: Handed<Job>
  readonly controller: AbortController
  /** Whether its work has ended, so that its outcome is on its way to the queue. */
  ended: boolean
  /** Resolves once the queue has the outcome, or has refused it. */
  over: Promise<void> | undefined
}

/** The outcome of work whose entry the queue had handed out again before it ended. */
interface Late<Result> {
  /** The attempt that the queue counts now, if it was this process that took the entry. */
  readonly attempt: number
  readonly outcome: Outcome<Result>
}

const leaveAttempts = 3
/** After this time no further attempt begins: others take over in any case what a processor leaves. */
const leaveMs = 1000

/** The errors with which the signal of work is aborted. */
const reasons = {
  taken: ['another processor has the entry', { code: 'SLUICE_QUEUE_ENTRY_TAKEN' }],
  stopped: ['the processor was stopped', { code: 'SLUICE_QUEUE_STOPPED' }],
} as const

class QueueProcessor<Job, Result> implements Processor {
  readonly #member: Member<Job, Result>
  readonly #work: Work<Job, Result>
  readonly #options: Processing
  readonly #clock: Clock
  readonly #retries: Retries
  readonly #reports: observing.Reports
  /** Aborted: no more entries are taken. */
  readonly #stopped = new AbortController()
  /** Aborted: running work is no longer waited for. */
  readonly #over = new AbortController()
  readonly #running = new Set<Run<Job>>()
  readonly #unstarted: Handed<Job>[] = []
  /** By the entry's mark, until what the take under way brings has begun. */
  readonly #late = new Map<string, Late<Result>>()
  readonly #taking: Promise<void>
  #alone: Handed<Job> | undefined
  #startedUs: number = Number.NEGATIVE_INFINITY
  #changed: () => void = () => {}
  #stopping: Promise<void> | undefined

  constructor(queue: Queue<Job, Result>, work: Work<Job, Result>, options: Processing) {
    const reports = new observing.Reports(options.observers, options.logger)
    this.#reports = reports
    this.#member = queue.jobs.join(options)
    this.#work = work
    this.#options = options
    this.#clock = options.clock
    this.#retries = new Retries(
      new Outages(reports, `queue ${queue.name}`),
      new waits.Sleepers(Number.POSITIVE_INFINITY, options.clock),
    )
    this.#taking = this.#take()
    void this.#renew()
  }

  stop(options: { timeout?: Duration | undefined } = {}): Promise<void> {
    checkNames(options, 'options', ['timeout'])
    const { timeout } = options
    limiters.warnOfShortTimes(this.#reports, { timeout })
    const timeoutMs = timeout === undefined ? undefined : msUp(durationOrZeroUs(timeout, 'timeout'))
    this.#stopping ??= this.#stop(timeoutMs)
    return this.#stopping
  }

  async #take(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      const room = await this.#room()
      if (signal.aborted) return
      const handed = await this.#retries.until(() => this.#member.take(room, signal), signal)
      await this.#begin(handed ?? [])
    }
  }

  /** The number of entries that can start at once: a taken entry that cannot start has lost an attempt. */
  async #room(): Promise<number> {
    const { concurrency, batch, minIntervalUs } = this.#options
    await this.#until(() => this.#running.size < concurrency)
    if (minIntervalUs === 0) return Math.min(batch, concurrency - this.#running.size)
    const restUs = this.#startedUs + minIntervalUs - this.#clock.nowUs()
    await this.#retries.sleep(msUp(restUs), this.#stopped.signal)
    return 1
  }

  async #begin(handed: readonly Handed<Job>[]): Promise<void> {
    for (const each of handed) {
      if (await this.#isLost(each)) continue
      if (this.#isRunning(each)) continue
      if (each.how === 'alone') this.#alone = each
      else if (each.how === 'spent') this.#bury(each)
      else if (this.#stopped.signal.aborted) this.#unstarted.push(each)
      else this.#run(each)
    }
    this.#late.clear()
    if (this.#alone !== undefined) await this.#runAlone(this.#alone)
    this.#alone = undefined
  }

  /** Whether an entry still runs here: this process stood still, did not renew it in time, and took it again before any other. */
  #isRunning(handed: Handed<Job>): boolean {
    for (const run of this.#running) {
      if (run.ended || run.handed.mark !== handed.mark) continue
      // The queue has counted another attempt: the entry is renewed and finished as that one.
      if (handed.how === 'now') run.handed = handed
      return true
    }
    return false
  }

  /**
   * Waits for the end of work on the same entry, if that is on its way to the queue. Nobody renews an entry that waits, so another
   * processor may have it afterwards.
   */
  async #isLost(handed: Handed<Job>): Promise<boolean> {
    const ending = [...this.#running].filter(({ ended, handed: { mark } }) => ended && mark === handed.mark)
    if (ending.length === 0) return false
    for (const { over } of ending) await over
    const lost = await this.#retries.until(() => this.#member.renew([handed]), this.#over.signal)
    return lost?.includes(handed) === true
  }

  async #runAlone(handed: Handed<Job>): Promise<void> {
    await this.#until(() => this.#running.size === 0)
    if (this.#stopped.signal.aborted) return
    const started = await this.#retries.until(() => this.#member.start(handed), this.#over.signal)
    this.#alone = undefined
    if (started === undefined) return
    this.#run(started)
    await this.#until(() => this.#running.size === 0)
  }

  #run(handed: Handed<Job>): void {
    const late = this.#late.get(handed.mark)
    if (late?.attempt === handed.attempt) {
      this.#hold(handed, async () => late.outcome)
      return
    }
    this.#startedUs = this.#clock.nowUs()
    this.#hold(handed, (run) => this.#outcomeOf(run))
  }

  #bury(handed: Handed<Job>): void {
    const error = `attempt ${handed.attempt} was lost`
    this.#hold(handed, async () => ({ state: 'failed', error, workMs: null }))
  }

  #hold(handed: Handed<Job>, outcomeOf: (run: Run<Job>) => Promise<Outcome<Result>>): void {
    const run: Run<Job> = { handed, controller: new AbortController(), ended: false, over: undefined }
    this.#running.add(run)
    run.over = this.#end(run, outcomeOf(run))
  }

  async #end(run: Run<Job>, ending: Promise<Outcome<Result>>): Promise<void> {
    const outcome = await ending
    run.ended = true
    const finish = () => this.#member.finish(run.handed, outcome)
    const finished = await this.#retries.until(finish, this.#over.signal)
    this.#running.delete(run)
    // This process may have taken the entry from itself, and need not do the work again.
    const { mark, attempt } = run.handed
    if (finished === 'lost' && outcome.state === 'done')
      this.#late.set(mark, { attempt: attempt + 1, outcome })
    this.#changed()
  }

  async #outcomeOf(run: Run<Job>): Promise<Outcome<Result>> {
    const { job, ticket, attempt } = run.handed
    const startedUs = this.#clock.nowUs()
    const workMs = () => (this.#clock.nowUs() - startedUs) / 1000
    try {
      const result = await this.#work(job, { ticket, attempt, signal: run.controller.signal })
      return { state: 'done', result, workMs: workMs() }
    } catch (error) {
      const state = run.handed.attempt < this.#options.maxAttempts ? 'again' : 'failed'
      return { state, error: errorText(messageOf(error)), workMs: workMs() }
    }
  }

  async #renew(): Promise<void> {
    const { signal } = this.#over
    while (!signal.aborted) {
      await this.#retries.sleep(this.#options.idleClaimMs / 3, signal)
      const held = [...this.#unstarted, ...[...this.#running].map(({ handed }) => handed)]
      if (this.#alone !== undefined) held.push(this.#alone)
      if (held.length === 0) continue
      const lost = await this.#retries.until(() => this.#member.renew(held), signal)
      for (const { handed, controller } of this.#running) {
        if (lost?.includes(handed)) controller.abort(codedError(...reasons.taken))
      }
    }
  }

  /** Waits until the condition holds, or the processor stops. */
  async #until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#stopped.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }

  async #stop(timeoutMs: number | undefined): Promise<void> {
    this.#stopped.abort()
    this.#changed()
    const ended = this.#allEnded()
    if (timeoutMs === undefined) await ended
    else {
      const woken = new AbortController()
      await Promise.race([ended.then(() => woken.abort()), this.#retries.sleep(timeoutMs, woken.signal)])
      for (const { controller } of this.#running) controller.abort(codedError(...reasons.stopped))
      if (this.#running.size > 0) this.#over.abort()
      await this.#taking
    }
    const left = { unstarted: this.#unstarted, running: [...this.#running].map(({ handed }) => handed) }
    const enough = new AbortController()
    void this.#retries.sleep(leaveMs, enough.signal).then(() => enough.abort())
    await this.#retries.until(() => this.#member.leave(left), enough.signal, leaveAttempts)
    enough.abort()
    this.#over.abort()
  }

  async #allEnded(): Promise<void> {
    await this.#taking
    while (this.#running.size > 0) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }
}

/**
 * Takes entries of a queue and runs `work` on each, until it is stopped. A list hands
 * each out at most once, other queues at least once, so that their work must be repeatable. Its result can then be looked up by the
 * ticket; an error that it throws counts as a failed attempt.
 *
 * @example
 * const worker = processor(queue, async (order) => sell(order), { concurrency: 8 })
 * process.once('SIGTERM', () => void worker.stop({ timeout: '10s' }))
 */
export function processor<Job, Result>(
  queue: Queue<Job, Result>,
  work: Work<Job, Result>,
  options: ProcessorOptions = {},
): Processor {
  // Otherwise every job would fail, and no error would say why.
  if (typeof queue?.jobs?.join !== 'function')
    throw optionError('queue', 'a queue such as streamQueue({ … })', queue)
  if (typeof work !== 'function') throw optionError('work', 'a function that does a job', work)
  return new QueueProcessor(queue, work, readProcessing(options))
}
