import { randomBytes } from 'node:crypto'
import { inRedis, type observing } from '@sluice/core/internal'
import { Failures } from './failures.ts'
import type { Finished, Handed, JoinOptions, Member, Outcome } from './jobs.ts'
import type { QueueSettings } from './options.ts'
import type { BlockingReader, QueueServer } from './server.ts'
import { type Delivered, readStreams, readTaken } from './stream-replies.ts'
import * as scripts from './stream-scripts.ts'
import { endedOf } from './texts.ts'

const sweepEveryMs = 1000
const tidyEveryMs = 60_000
const longGoneMs = 3_600_000

interface Parts {
  readonly settings: QueueSettings
  readonly server: QueueServer
  readonly reports: observing.Reports
}

/** A processor's part in a stream queue: a consumer of the group, under a name that is never used again. */
export class StreamMember<Job, Result> implements Member<Job, Result> {
  readonly #settings: QueueSettings
  readonly #server: QueueServer
  readonly #reports: observing.Reports
  readonly #failures: Failures
  readonly #options: JoinOptions
  readonly #reader: BlockingReader
  readonly #me = `${process.pid}-${randomBytes(8).toString('hex')}`
  #sweptMs: number = Number.NEGATIVE_INFINITY
  #tidiedMs: number = Number.NEGATIVE_INFINITY

  constructor({ settings, server, reports }: Parts, options: JoinOptions) {
    this.#settings = settings
    this.#server = server
    this.#reports = reports
    this.#failures = new Failures(reports, settings.name)
    this.#options = options
    this.#reader = server.reader()
  }

  async take(room: number, signal: AbortSignal): Promise<readonly Handed<Job>[]> {
    await this.#tidy()
    const taken = await this.#takeNow(room)
    if (taken.length > 0 || signal.aborted) return this.#hand(taken)
    return this.#hand(await this.#takeFirst(room))
  }

  async #takeNow(room: number): Promise<readonly Delivered[]> {
    const { idleClaimMs, maxAttempts } = this.#options
    const nowMs = performance.now()
    const sweeps = nowMs - this.#sweptMs >= sweepEveryMs
    const args = [this.#me, room, idleClaimMs, maxAttempts, sweeps ? 1 : 0]
    const [, handed] = await this.#server.askInTime(scripts.take, this.#server.keys('e'), args)
    const taken = readTaken(handed)
    if (sweeps) this.#sweptMs = nowMs
    return taken
  }

  /** Waits for the first entry. */
  async #takeFirst(room: number): Promise<readonly Delivered[]> {
    const key = this.#server.key('e')
    const bounds = ['COUNT', room, 'BLOCK', this.#reader.blockMs]
    try {
      const args = ['GROUP', 'g', this.#me, ...bounds, 'STREAMS', key, '>']
      return readStreams(await this.#reader.send('XREADGROUP', args, key))
    } catch (error) {
      // The next take creates the group again.
      if (error instanceof Error && error.message.startsWith('NOGROUP')) return []
      throw error
    }
  }

  /** An entry without JSON, which another program has written, fails at once. */
  async #hand(taken: readonly Delivered[]): Promise<readonly Handed<Job>[]> {
    const handed: Handed<Job>[] = []
    for (const { id, ticket, job, attempt, how } of taken) {
      try {
        handed.push({ how, mark: id, ticket, job: JSON.parse(job), attempt })
      } catch {
        const entry = { how: 'spent', mark: id, ticket, attempt } as const
        await this.#end(entry, { state: 'failed', error: 'the job has no JSON', workMs: null })
      }
    }
    return handed
  }

  async renew(held: readonly Handed<Job>[]): Promise<readonly Handed<Job>[]> {
    const counts = held.flatMap(({ mark, how, attempt }) => [mark, how === 'alone' ? attempt - 1 : attempt])
    const lost = await this.#ask(scripts.renew, ['e'], [this.#me, ...counts])
    const places = new Set(inRedis.listOf(lost).map((place) => inRedis.integerOf(place)))
    return held.filter((_, i) => places.has(i + 1))
  }

  async start(handed: Handed<Job>): Promise<Handed<Job> | undefined> {
    const started = await this.#ask(scripts.start, ['e'], [this.#me, handed.mark, handed.attempt])
    // Other entries may wait for their last attempt too: the next take looks for them.
    this.#sweptMs = Number.NEGATIVE_INFINITY
    return inRedis.integerOf(started) === 1 ? { ...handed, how: 'now' } : undefined
  }

  finish(handed: Handed<Job>, outcome: Outcome<Result>): Promise<Finished> {
    return outcome.state === 'again' ? this.#putBack(handed) : this.#end(handed, outcome)
  }

  #putBack(handed: Omit<Handed<Job>, 'job'>): Promise<Finished> {
    const { idleClaimMs } = this.#options
    const backoffMs = Math.min(idleClaimMs, 1000 * 2 ** (handed.attempt - 1))
    return this.#finish(handed, ['again', '', '', idleClaimMs - backoffMs, 1, 1, ''])
  }

  async #end(
    handed: Omit<Handed<Job>, 'job'>,
    outcome: Exclude<Outcome<Result>, { readonly state: 'again' }>,
  ): Promise<Finished> {
    const { maxJobBytes, keepResultsMs, deadLetters } = this.#settings
    const { ended, text } = endedOf(outcome, maxJobBytes)
    const error = ended.state === 'failed' ? ended.error : ''
    const workUs = outcome.workMs === null ? '' : Math.round(outcome.workMs * 1000)
    const args = [ended.state, text, error, 0, keepResultsMs, deadLetters, workUs]
    const finished = await this.#finish(handed, args)
    if (finished === 'ok') this.#failures.ended(handed.ticket, ended)
    return finished
  }

  async #finish(
    { mark, attempt, ticket }: Omit<Handed<Job>, 'job'>,
    args: readonly (string | number)[],
  ): Promise<Finished> {
    const keys = ['e', 't', 'm', `r:${ticket}`, 'd']
    const reply = await this.#ask(scripts.finish, keys, [this.#me, mark, attempt, ticket, ...args])
    if (reply === 'ok' || reply === 'gone' || reply === 'lost') return reply
    throw inRedis.malformed()
  }

  async leave({ unstarted, running }: Parameters<Member<Job, Result>['leave']>[0]): Promise<void> {
    await this.#reader.close()
    const marks = [...running, ...unstarted].map(({ mark }) => mark)
    const args = [this.#me, this.#options.idleClaimMs, running.length, ...marks]
    inRedis.integerOf(await this.#ask(scripts.leave, ['e'], args))
  }

  /** Removes members that are long gone and hands out orphans again, once a minute and at the start. */
  async #tidy(): Promise<void> {
    const nowMs = performance.now()
    if (nowMs - this.#tidiedMs < tidyEveryMs) return
    const orphans = inRedis.integerOf(
      await this.#ask(scripts.tidy, ['e', 'n'], [this.#options.idleClaimMs, longGoneMs]),
    )
    this.#tidiedMs = nowMs
    if (orphans === 0) return
    this.#reports.warned({
      code: 'SLUICE_QUEUE_ORPHANS',
      message: `${orphans} entries of the queue "${this.#settings.name}" had been taken out of its group by another program: they are handed out again`,
    })
  }

  #ask(
    script: (typeof scripts)[keyof typeof scripts],
    names: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    return this.#server.ask(script, this.#server.keys(...names), args)
  }
}
