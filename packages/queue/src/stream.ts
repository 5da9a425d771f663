import { inRedis, msUp, observing } from '@sluice/core/internal'
import { waitMs } from './drain.ts'
import type { Jobs } from './jobs.ts'
import { Offers } from './offers.ts'
import { type QueueSettings, readSettings } from './options.ts'
import { Outages } from './outages.ts'
import type { Offer, Queue, QueueHealth, QueueOptions, TicketStatus } from './queue.ts'
import { QueueServer } from './server.ts'
import { StreamMember } from './stream-member.ts'
import { readMeasure } from './stream-replies.ts'
import * as scripts from './stream-scripts.ts'
import { readEnded } from './texts.ts'
import { isTicket, newTicket } from './ticket.ts'

class StreamQueue<Job, Result> implements Queue<Job, Result> {
  readonly name: string
  readonly jobs: Jobs<Job, Result>
  readonly #server: QueueServer
  readonly #reports: observing.Reports
  readonly #offers: Offers

  constructor(settings: QueueSettings, server: QueueServer) {
    this.name = settings.name
    this.#server = server
    this.#reports = new observing.Reports(settings.observers, settings.logger)
    const outages = new Outages(this.#reports, `queue ${settings.name}`)
    this.#offers = new Offers(
      { settings, server, outages },
      {
        script: scripts.offer,
        keys: this.#server.keys('e', 't', 'n', 'm'),
        newTicket,
        ends: 0,
        ticketOf: (ticket) => ticket,
      },
    )
    const parts = { settings, server, reports: this.#reports }
    this.jobs = { join: (options) => new StreamMember(parts, options) }
  }

  offer(job: Job): Promise<Offer> {
    return this.#offers.offer(job)
  }

  async status(ticket: string): Promise<TicketStatus<Result> | undefined> {
    if (!isTicket(ticket)) return undefined
    const keys = [...this.#server.keys('e', 't', 'm'), this.#server.key(`r:${ticket}`)]
    const [nowUs, state, value, ...measure] = await this.#server.call(scripts.status, keys, [ticket])
    switch (state) {
      case 'waiting': {
        const position = inRedis.integerOf(value)
        return { state, position, waitMs: waitMs(readMeasure(measure), inRedis.integerOf(nowUs), position) }
      }
      case 'running':
        return { state, attempt: inRedis.integerOf(value) }
      case 'ended':
        return readEnded(String(value))
      case 'unknown':
        return undefined
      default:
        throw inRedis.malformed()
    }
  }

  async health(): Promise<QueueHealth> {
    const reply = await this.#server.call(scripts.health, this.#server.keys('e', 'm'), [])
    if (reply.length !== 7) throw inRedis.malformed()
    const [nowUs = 0, entries = 0, handedOut = 0, retrying = 0, oldestMs = 0, done = 0, dead = 0] = reply.map(
      (value) => inRedis.integerOf(value),
    )
    const running = handedOut - retrying
    return {
      waiting: Math.max(0, entries - running),
      running,
      oldestMs: oldestMs === 0 ? null : Math.max(0, msUp(nowUs) - oldestMs),
      done,
      dead,
      warnings: this.#reports.warnings,
    }
  }

  ready(): Promise<void> {
    return this.#server.ready()
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}

/**
 * A queue in a Redis stream, which keeps entries until they end: at most `limit` wait or run at once, over all processes. Each entry
 * is handed out at least once and at most `maxAttempts` times, in the order of arrival, and ends once, as done or as failed; what
 * its work does elsewhere may therefore happen more than once. Data that the server loses is lost. Redis 6.2 or later.
 *
 * @example
 * const queue = streamQueue<Order, Ticket>({ name: 'orders', redis: 'redis://localhost', limit: 1000 })
 * const offer = await queue.offer({ attraction: 'tigers', visitor: 'bob' })
 */
export function streamQueue<Job, Result = void>(options: QueueOptions): Queue<Job, Result> {
  const settings = readSettings(options, 'stream')
  return new StreamQueue(settings, new QueueServer(options))
}
