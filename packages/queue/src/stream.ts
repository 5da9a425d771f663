import { msUp, Reports } from '@sluice/core/limiter'
import { type Measure, unmeasured, waitUs } from './drain.ts'
import type { Jobs } from './jobs.ts'
import { type Settled, settle } from './options.ts'
import { Outages } from './outages.ts'
import type { Offer, Queue, QueueHealth, QueueOptions, TicketStatus } from './queue.ts'
import { QueueServer } from './server.ts'
import { StreamMember } from './stream-member.ts'
import { readMeasure } from './stream-replies.ts'
import * as scripts from './stream-scripts.ts'
import { isTooLarge, jobText } from './texts.ts'
import { newTicket } from './ticket.ts'

/** An offer asks so seldom what was measured: estimates need it no fresher, and it costs. */
const measureEveryMs = 1000
const unavailable: Offer = Object.freeze({ allowed: false, reason: 'store-unavailable', retryAfterMs: 1000 })

class StreamQueue<Job, Result> implements Queue<Job, Result> {
  readonly name: string
  readonly jobs: Jobs<Job, Result>
  readonly #settled: Settled
  readonly #server: QueueServer
  readonly #reports: Reports
  readonly #outages: Outages
  readonly #offerKeys: readonly string[]
  #measure: Measure = unmeasured
  #measuredMs: number = Number.NEGATIVE_INFINITY

  constructor(settled: Settled, server: QueueServer) {
    this.name = settled.name
    this.#settled = settled
    this.#server = server
    this.#reports = new Reports(settled.observers, settled.logger)
    this.#outages = new Outages(this.#reports, `queue ${settled.name}`)
    this.#offerKeys = this.#keys('e', 't', 'n', 'm')
    const parts = { settled, server, reports: this.#reports }
    this.jobs = { join: (options) => new StreamMember(parts, options) }
  }

  async offer(job: Job): Promise<Offer> {
    const text = jobText(job)
    const { limit, maxJobBytes } = this.#settled
    if (isTooLarge(text, maxJobBytes)) return { allowed: false, reason: 'too-large', retryAfterMs: null }
    const ticket = newTicket()
    const args = [limit, ticket, text, this.#wantsMeasure() ? 1 : 0]
    try {
      const reply = await this.#server.callInTime(scripts.offer, this.#offerKeys, args)
      this.#outages.answered()
      return this.#read(ticket, reply)
    } catch (error) {
      this.#outages.failed(error)
      return unavailable
    }
  }

  #wantsMeasure(): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#measuredMs < measureEveryMs) return false
    this.#measuredMs = nowMs
    return true
  }

  #read(ticket: string, [nowUs, accepted, number, ...measure]: readonly unknown[]): Offer {
    if (accepted !== 1) return { allowed: false, reason: 'full', retryAfterMs: msUp(Number(number)) }
    if (measure.length > 0) this.#measure = readMeasure(measure)
    const position = Number(number)
    return { allowed: true, ticket, position, waitMs: waitMs(this.#measure, Number(nowUs), position) }
  }

  async status(ticket: string): Promise<TicketStatus<Result> | undefined> {
    const keys = [...this.#keys('e', 't', 'm'), this.#server.key(`r:${ticket}`)]
    const [nowUs, state, value, ...measure] = await this.#server.call(scripts.status, keys, [ticket])
    switch (state) {
      case 'waiting': {
        const position = Number(value)
        return { state, position, waitMs: waitMs(readMeasure(measure), Number(nowUs), position) }
      }
      case 'running':
        return { state, attempt: Number(value) }
      case 'ended':
        return JSON.parse(String(value))
      default:
        return undefined
    }
  }

  async health(): Promise<QueueHealth> {
    const reply = await this.#server.call(scripts.health, this.#keys('e', 'm'), [])
    const [nowUs = 0, entries = 0, handedOut = 0, retrying = 0, oldestMs = 0, done = 0, dead = 0] =
      reply.map(Number)
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

  #keys(...names: readonly string[]): readonly string[] {
    return names.map((name) => this.#server.key(name))
  }
}

function waitMs(measure: Measure, nowUs: number, position: number): number | null {
  const us = waitUs(measure, nowUs, position)
  return us === null ? null : msUp(us)
}

/**
 * Keeps its entries in a Redis stream until they end: as many wait or run at once as `limit` says, over all processes. Each entry
 * is handed out at least once and at most `maxAttempts` times, in the order of arrival, and ends once, as done or as failed; what
 * its work does elsewhere may so happen more than once. What the server itself loses is lost. Redis 6.2 or later.
 *
 * @example
 * const queue = streamQueue<Order, Ticket>({ name: 'orders', redis: 'redis://localhost', limit: 1000 })
 * const offer = await queue.offer({ attraction: 'tigers', visitor: 'bob' })
 */
export function streamQueue<Job, Result = void>(options: QueueOptions): Queue<Job, Result> {
  const settled = settle(options, ['redis'])
  return new StreamQueue(settled, new QueueServer(options.redis, settled.name))
}
