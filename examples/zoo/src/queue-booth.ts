import { setTimeout } from 'node:timers/promises'
import type { RedisClient } from '@sluice/core'
import {
  acceptJob,
  memoryQueue,
  type Processor,
  processor,
  type Queue,
  type QueueHealth,
  streamQueue,
  ticketStatus,
} from '@sluice/queue'
import { type Answer, answerOf } from './answer.ts'
import type { Line, Standing } from './booth.ts'
import { type Order, orderOf } from './order.ts'
import type { TicketRoll } from './tickets.ts'

const id = 'meerkat'
const name = 'Meerkat supper'
/** Waiting and being served. */
const limit = 20
const served = 2

/** The result of an order. */
interface Sold extends Order {
  readonly ticket: string
  readonly attraction: string
}

// The page and the terminal show the queue's state, so this warning is not needed.
const logger = { warn() {}, error() {} }

/** Sells an attraction's tickets through a queue: an order is accepted while there is room, and served in turn. */
export class QueueBooth {
  readonly path: string = `/attractions/${id}/tickets`
  readonly queue: Queue<Order, Sold>
  readonly #work: Processor
  #accepted = 0
  #turnedAway = 0

  readonly #servingMs: number

  /** `redis`: where the queue is; undefined means in this process. */
  constructor(redis: RedisClient | undefined, roll: TicketRoll, servingMs: number) {
    this.#servingMs = servingMs
    const options = { name: id, limit, logger }
    this.queue =
      redis === undefined
        ? memoryQueue<Order, Sold>(options)
        : streamQueue<Order, Sold>({ ...options, redis })
    const serve = async (order: Order): Promise<Sold> => {
      await setTimeout(servingMs)
      return { ticket: roll.next(id), attraction: id, ...order }
    }
    this.#work = processor(this.queue, serve, { concurrency: served, logger })
  }

  /** Answers a request that takeOrder has seen: 202 with the address of its ticket. */
  async sell(request: object): Promise<Answer> {
    const statusPath = (ticket: string) => `${this.path}/${ticket}`
    const answer = answerOf(await acceptJob(this.queue, orderOf(request), { statusPath }))
    if (answer.status === 202) this.#accepted++
    else this.#turnedAway++
    return answer
  }

  /** Whether a path has the form of a ticket's address. */
  hasTicketAt(path: string): boolean {
    return path.startsWith(`${this.path}/`) && /^[^/]+$/.test(path.slice(this.path.length + 1))
  }

  /** `ticket`: as in the address. */
  async ticket(ticket: string): Promise<Answer> {
    return answerOf(await ticketStatus(this.queue, ticket))
  }

  async look(): Promise<Standing> {
    const health = await this.queue.health().catch(() => null)
    const left = health === null ? 0 : Math.max(0, limit - health.waiting - health.running)
    const words = {
      id,
      name,
      strategy: 'queue',
      rule: `room for ${limit}, ${served} served at once`,
      chart: null,
    }
    const count = { limit, left, inWindow: null, againInMs: null, allFreeInMs: 0, visitor: null }
    return { ...words, ...count, queue: health && this.#lineOf(health) }
  }

  /** Finishes what is being served. */
  async close(): Promise<void> {
    await this.#work.stop({ timeout: 2 * this.#servingMs })
    await this.queue.close()
  }

  #lineOf({ waiting, running }: QueueHealth): Line {
    return { waiting, running, accepted: this.#accepted, turnedAway: this.#turnedAway }
  }
}
