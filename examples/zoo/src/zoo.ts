import type { Store } from '@sluice/core'
import type { Stand } from '@sluice/crowd'
import { type Answer, json } from './answer.ts'
import { attractions } from './attractions.ts'
import { Booth } from './booth.ts'
import type { Counting } from './counting.ts'
import { readVisitor } from './order.ts'
import { readPages } from './pages.ts'
import { nothingHere, Problem } from './problem.ts'
import type { QueueBooth } from './queue-booth.ts'
import type { TicketRoll } from './tickets.ts'

const reading = 'GET, HEAD'
/** Attempts at a store that is there only now and then. */
const mostTries = 8

interface ZooParts {
  readonly framework: string
  readonly store: Store
  readonly counting: Counting
  readonly queueBooth: QueueBooth
  readonly roll: TicketRoll
  /** Left out: nobody may try policies here. */
  readonly crowd: Stand | undefined
}

/** The ticket office: all that the server does, whatever the framework. */
export class Zoo {
  readonly booths: readonly Booth[]
  readonly queueBooth: QueueBooth
  readonly crowd: Stand | undefined
  readonly #framework: string
  readonly #store: Store
  readonly #pages: ReadonlyMap<string, Answer> = readPages()

  constructor({ framework, store, counting, queueBooth, roll, crowd }: ZooParts) {
    this.booths = attractions.map(
      (attraction) => new Booth(attraction, { counter: counting.counterOf(attraction), roll }),
    )
    this.queueBooth = queueBooth
    this.crowd = crowd
    this.#framework = framework
    this.#store = store
  }

  /** Whether the store answers. Resolves when that is clear, after a third of a second at most. */
  async ready(): Promise<boolean> {
    for (let tries = 0; tries < mostTries; tries++) {
      // What it cannot do, its health says.
      await this.#store.ready?.().catch(() => {})
      const status = this.#store.health?.().status ?? 'ok'
      // One failure proves nothing; after a few the store is left alone, and the observer is told when it is back.
      if (status !== 'degraded') return status === 'ok'
    }
    return false
  }

  /** `GET /attractions?visitor=bob`: how all of them stand, and what bob may do. */
  async look(url: string): Promise<Answer> {
    const named = new URLSearchParams(url.split('?')[1]).get('visitor')
    const visitor = named === null ? null : readVisitor(named)
    const [looks, queue] = await Promise.all([
      Promise.all(this.booths.map((booth) => booth.look(visitor))),
      this.queueBooth.look(),
    ])
    const local = looks.some(({ source }) => source === 'fallback')
    const server = { framework: this.#framework, store: local ? 'local' : this.#store.name }
    return json(200, { server, attractions: [...looks.map(({ standing }) => standing), queue] })
  }

  /** Whatever no route has taken: a page, or a problem that says why there is none. */
  elsewhere(method: string, url: string): Answer {
    const path = url.split('?')[0] ?? ''
    const page = this.#pages.get(path)
    if (page !== undefined && (method === 'GET' || method === 'HEAD')) return page
    const allowed = page === undefined ? this.#methodsOf(path) : reading
    if (allowed === undefined) throw nothingHere()
    throw new Problem(405, `Here only ${allowed} will do.`, { Allow: allowed })
  }

  #methodsOf(path: string): string | undefined {
    if (path === '/attractions') return reading
    if (this.queueBooth.hasTicketAt(path)) return reading
    return [...this.booths, this.queueBooth].some((booth) => booth.path === path) ? 'POST' : undefined
  }
}
