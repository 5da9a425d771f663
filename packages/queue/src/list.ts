import { randomBytes } from 'node:crypto'
import { inRedis, msUp, observing } from '@sluice/core/internal'
import { waitMs } from './drain.ts'
import type { Jobs } from './jobs.ts'
import { ListMember } from './list-member.ts'
import * as scripts from './list-scripts.ts'
import { Offers } from './offers.ts'
import { type QueueSettings, readSettings } from './options.ts'
import { Outages } from './outages.ts'
import type { Offer, Queue, QueueHealth, QueueOptions, TicketStatus } from './queue.ts'
import { QueueServer } from './server.ts'
import { readMeasure } from './stream-replies.ts'

/** `limit` bounds waiting entries, not running ones. Ended entries are not kept. */
export type ListQueueOptions = Omit<QueueOptions, 'deadLetters' | 'keepResults'>

class ListQueue<Job> implements Queue<Job, never> {
  readonly name: string
  readonly jobs: Jobs<Job, never>
  readonly #server: QueueServer
  readonly #reports: observing.Reports
  readonly #offers: Offers

  constructor(settings: QueueSettings, server: QueueServer) {
    this.name = settings.name
    this.#server = server
    this.#reports = new observing.Reports(settings.observers, settings.logger)
    const outages = new Outages(this.#reports, `queue ${settings.name}`)
    // The mark makes this process's tickets unique; the number alone gives a position.
    const mark = `${randomBytes(6).toString('base64url')}-`
    this.#offers = new Offers(
      { settings, server, outages },
      {
        script: scripts.offer,
        keys: server.keys('l', 'n', 'm'),
        newTicket: () => mark,
        ends: 1,
        ticketOf: (begun, number) => `${begun}${inRedis.integerOf(number, 1)}`,
      },
    )
    const lost = (ticket: string, why: string) => this.#warnOfLoss(ticket, why)
    this.jobs = { join: () => new ListMember({ server, lost }) }
  }

  offer(job: Job): Promise<Offer> {
    return this.#offers.offer(job)
  }

  async status(ticket: string): Promise<TicketStatus<never> | undefined> {
    const [, number] = /^[\w-]{8}-(\d{1,15})$/.exec(ticket) ?? []
    if (number === undefined) return undefined
    const reply = await this.#server.call(scripts.status, this.#server.keys('l', 'n', 'm'), [number])
    const [nowUs, place, waiting, ...measure] = reply
    // Below 1: the entry has been taken.
    const position = inRedis.integerOf(place, Number.NEGATIVE_INFINITY)
    if (position < 1 || position > inRedis.integerOf(waiting)) return undefined
    return {
      state: 'waiting',
      position,
      waitMs: waitMs(readMeasure(measure), inRedis.integerOf(nowUs), position),
    }
  }

  async health(): Promise<QueueHealth> {
    const reply = await this.#server.call(scripts.health, this.#server.keys('l', 'n'), [])
    const [nowUs, waiting, taken, oldest] = reply
    const oldestMs = inRedis.integerOf(oldest)
    return {
      waiting: inRedis.integerOf(waiting),
      running: 0,
      oldestMs: oldestMs === 0 ? null : Math.max(0, msUp(inRedis.integerOf(nowUs)) - oldestMs),
      // Below 0 when another client has deleted the counter of arrivals.
      done: inRedis.integerOf(taken, Number.NEGATIVE_INFINITY),
      dead: 0,
      warnings: this.#reports.warnings,
    }
  }

  ready(): Promise<void> {
    return this.#server.ready()
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  /** Observers get every loss, the logger only the first. */
  #warnOfLoss(ticket: string, why: string): void {
    const message = `a job of the queue "${this.name}" is lost, as a list hands nothing out twice: ${why} (ticket ${ticket})`
    this.#reports.warnedEach({ code: 'SLUICE_QUEUE_JOB_LOST', message })
  }
}

/**
 * A queue in a Redis list, which keeps entries until they are taken: at most `limit` wait at once, over all processes; running ones do
 * not count. Each entry is handed out at most once, in the order of arrival. A taken entry is stored nowhere else: it is lost
 * if the process dies or its work throws. There are no retries, no results and no dead letters; a ticket has a position
 * while the entry waits, and can be guessed. Cheaper than `streamQueue`, for work that may be lost. Redis 6.2 or later.
 *
 * @example
 * const queue = listQueue<Visit>({ name: 'visits', redis: 'redis://localhost', limit: 10_000 })
 * const worker = processor(queue, async (visit) => count(visit), { concurrency: 8 })
 */
export function listQueue<Job>(options: ListQueueOptions): Queue<Job, never> {
  const settings = readSettings(options, 'list')
  return new ListQueue(settings, new QueueServer(options))
}
