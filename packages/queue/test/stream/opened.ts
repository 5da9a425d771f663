import { randomBytes } from 'node:crypto'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import {
  type Handed,
  type JoinOptions,
  type Member,
  type Offer,
  type Processor,
  type ProcessorOptions,
  processor,
  type Queue,
  type QueueOptions,
  streamQueue,
  type Work,
} from '../../src/index.ts'
import { deadline } from '../redis-queue.ts'

/** What jobs are in these tests. */
export interface Job {
  readonly n: number
}

type Worker = Member<Job, unknown>

export const silent = { warn() {}, error() {} }
export const never: AbortSignal = new AbortController().signal

/** A stream queue of its own on this worker's server, with hands to look at its keys and to change them. */
export class Opened {
  readonly name: string = `q${randomBytes(6).toString('hex')}`
  readonly client: Redis
  readonly queue: Queue<Job, unknown>
  readonly #queues: Queue<Job, unknown>[] = []
  readonly #members: Worker[] = []
  readonly #processors: Processor[] = []

  constructor(options: Partial<QueueOptions> = {}, client: Redis = new Redis({ path: socket })) {
    this.client = client
    this.queue = this.another(options)
  }

  /** As another process would open it. */
  another(options: Partial<QueueOptions> = {}): Queue<Job, unknown> {
    const queue = streamQueue<Job, unknown>({
      name: this.name,
      redis: this.client,
      limit: 100,
      deadline,
      logger: silent,
      ...options,
    })
    this.#queues.push(queue)
    return queue
  }

  key(name: string): string {
    return `sl1:{queue:${this.name}}:${name}`
  }

  /** A member that leaves with the queue, if it has not before. */
  join({ idleClaimMs = 1000, maxAttempts = 3 }: Partial<JoinOptions> = {}, queue = this.queue): Worker {
    const member = queue.jobs.join({ idleClaimMs, maxAttempts })
    this.#members.push(member)
    return member
  }

  /** Offers so many jobs, numbered from 1, and answers their tickets. */
  async fill(count: number): Promise<readonly string[]> {
    const tickets: string[] = []
    for (let n = 1; n <= count; n++) tickets.push(ticketOf(await this.queue.offer({ n })))
    return tickets
  }

  /** As if nobody had renewed them for so long. */
  async age(entries: readonly Handed<Job>[], consumer: string, ms = 10_000): Promise<void> {
    for (const { mark } of entries) {
      await this.client.xclaim(this.key('e'), 'g', consumer, 0, mark, 'IDLE', ms, 'JUSTID')
    }
  }

  /** Under whose names entries are handed out, and how often each was. */
  async pending(): Promise<
    readonly { readonly id: string; readonly consumer: string; readonly count: number }[]
  > {
    const rows = await this.client.xpending(this.key('e'), 'g', '-', '+', 1000)
    return (rows as [string, string, number, number][]).map(([id, consumer, , count]) => ({
      id,
      consumer,
      count,
    }))
  }

  async consumers(): Promise<readonly string[]> {
    const rows = (await this.client.xinfo('CONSUMERS', this.key('e'), 'g')) as [string, string][]
    return rows.map(([, name]) => name).filter((name) => name !== 'retry')
  }

  /** The number of the last entry, and what has become of all: they are equal from an empty start. */
  async books(): Promise<{ readonly accepted: number; readonly accountedFor: number }> {
    const [number, length] = await Promise.all([
      this.client.get(this.key('n')),
      this.client.xlen(this.key('e')),
    ])
    const { done, dead } = await this.queue.health()
    return { accepted: Number(number), accountedFor: done + dead + length }
  }

  /** A processor that is stopped with the queue, if it was not before. */
  work(handler: Work<Job, unknown>, options: ProcessorOptions = {}): Processor {
    const started = processor(this.queue, handler, { idleClaim: '1s', logger: silent, ...options })
    this.#processors.push(started)
    return started
  }

  /** Resolves once so many entries have ended. */
  ended(count: number): Promise<void> {
    return until(async () => {
      const { done, dead } = await this.queue.health()
      return done + dead === count
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.#processors.map((each) => each.stop({ timeout: '1s' })))
    // What it reads with is a connection of its own, which it would keep.
    await Promise.all(this.#members.map((each) => each.leave({ unstarted: [], running: [] })))
    await Promise.all(this.#queues.map((each) => each.close()))
    this.client.disconnect()
  }
}

export function ticketOf(offer: Offer): string {
  if (offer.allowed) return offer.ticket
  throw new Error(`refused: ${offer.reason}`)
}

/** Resolves once it holds; rejects where that takes too long. */
export async function until(holds: () => Promise<boolean> | boolean, longestMs = 30_000): Promise<void> {
  const startedMs = performance.now()
  while (!(await holds())) {
    if (performance.now() - startedMs > longestMs) throw new Error(`not within ${longestMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
