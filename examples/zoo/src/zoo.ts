import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LoadTestEndpoint } from '@sluice/cli/endpoint'
import type { Store } from '@sluice/core'
import { type Answer, json } from './answer.ts'
import { AskingBooth } from './asking-booth.ts'
import { attractions } from './attractions.ts'
import { Booth, type Standing } from './booth.ts'
import type { Counting } from './counting.ts'
import type { Metrics } from './metrics.ts'
import { readVisitor } from './order.ts'
import { readPages } from './pages.ts'
import { nothingHere, Problem } from './problem.ts'
import type { QueueBooth } from './queue-booth.ts'
import type { TicketRoll } from './tickets.ts'

const reading = 'GET, HEAD'
/** Attempts at an unreliable store. */
const mostTries = 8

interface ZooParts {
  readonly framework: string
  readonly store: Store
  readonly counting: Counting
  readonly queueBooth: QueueBooth
  readonly roll: TicketRoll
  /** Left out: no load-test endpoint. */
  readonly crowd: LoadTestEndpoint | undefined
  readonly dashboard: NodeHandler
  readonly metrics: Metrics
}

/** Answers one of Node's own requests, without a framework. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/** The ticket office: everything that the server does, independent of the framework. */
export class Zoo {
  /** The booths behind `rateLimit`. */
  readonly booths: readonly Booth[]
  /** The booths that call their limiters themselves. */
  readonly askingBooths: readonly AskingBooth[]
  readonly queueBooth: QueueBooth
  readonly crowd: LoadTestEndpoint | undefined
  readonly dashboard: NodeHandler
  readonly metrics: Metrics
  readonly #framework: string
  readonly #store: Store
  readonly #all: readonly (Booth | AskingBooth)[]
  readonly #pages: ReadonlyMap<string, Answer> = readPages()

  constructor({ framework, store, counting, roll, ...parts }: ZooParts) {
    this.#all = attractions.map((attraction) => {
      const booth = new Booth(attraction, { counter: counting.counterOf(attraction), roll })
      return attraction.visitMs === undefined && !attraction.inParts ? booth : new AskingBooth(booth)
    })
    this.booths = this.#all.filter((booth) => booth instanceof Booth)
    this.askingBooths = this.#all.filter((booth) => booth instanceof AskingBooth)
    this.queueBooth = parts.queueBooth
    this.crowd = parts.crowd
    this.dashboard = parts.dashboard
    this.metrics = parts.metrics
    this.#framework = framework
    this.#store = store
  }

  /** Whether the store answers. Resolves when that is clear, after a third of a second at most. */
  async ready(): Promise<boolean> {
    for (let tries = 0; tries < mostTries; tries++) {
      // Its health says whether it answers.
      await this.#store.ready?.().catch(() => {})
      const status = this.#store.health?.().status ?? 'ok'
      // One failure proves nothing; after a few the circuit opens, and the observer learns when the store is back.
      if (status !== 'degraded') return status === 'ok'
    }
    return false
  }

  /** `GET /attractions?visitor=bob`: the state of all attractions, and what bob may do. */
  async look(url: string): Promise<Answer> {
    const named = new URLSearchParams(url.split('?')[1]).get('visitor')
    const visitor = named === null ? null : readVisitor(named)
    const [looks, queue] = await Promise.all([
      Promise.all(this.#all.map((booth) => booth.look(visitor))),
      this.queueBooth.look(),
    ])
    const local = looks.some(({ source }) => source === 'fallback')
    const server = { framework: this.#framework, store: local ? 'local' : this.#store.name }
    const standings: readonly Standing[] = [...looks.map(({ standing }) => standing), queue]
    return json(200, { server, attractions: standings })
  }

  /** Answers all other paths: a page, or a problem. */
  elsewhere(method: string, url: string): Answer {
    const path = url.split('?')[0] ?? ''
    const page = this.#pages.get(path)
    if (page !== undefined && (method === 'GET' || method === 'HEAD')) return page
    const allowed = page === undefined ? this.#methodsOf(path) : reading
    if (allowed === undefined) throw nothingHere()
    throw new Problem(405, `Allowed here: ${allowed}.`, { Allow: allowed })
  }

  async close(): Promise<void> {
    await Promise.all(this.askingBooths.map((booth) => booth.close()))
    await this.queueBooth.close()
  }

  #methodsOf(path: string): string | undefined {
    if (path === '/attractions' || path === '/metrics') return reading
    if (this.queueBooth.hasTicketAt(path)) return reading
    return [...this.#all, this.queueBooth].some((booth) => booth.path === path) ? 'POST' : undefined
  }
}
