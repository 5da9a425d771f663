import type { IncomingMessage } from 'node:http'
import { type Clock, type Decider, type Decision, type Limiter, memoryStore, type Store } from '@sluice/core'
import {
  checkNames,
  jsonAnswer,
  monotonicClock,
  optionError,
  readCommonSettings,
  Sleepers,
  whyNotLocal,
} from '@sluice/core/internal'
import { answerOf, type EndpointAnswer, noContent, Problem } from './answer.ts'
import { readBody } from './body.ts'
import { orderOf } from './order.ts'
import type { CrowdTicket, EndpointState, OpenedRun } from './protocol.ts'
import type { Run, RunSettings } from './run.ts'
import { Turns } from './turns.ts'
import { beginVisit, type Visit, visitOf } from './visit.ts'

export interface LoadTestEndpointOptions extends RunSettings {
  /** The path under which the endpoint is mounted. @default '/crowd' */
  base?: string | undefined
  /** Says when a run is over, and when the limiter was asked. @default a monotonic one */
  clock?: Clock | undefined
}

/** Options of every framework's `rateLimit`, for the route that sells tickets. */
export interface VisitLimits {
  readonly limiter: Decider<Visit>
  key(request: object): Visit
}

/** A place where any policies hold for one run. Only clients of the same machine are served. */
export interface LoadTestEndpoint {
  /** For `rateLimit`, between `enter` and `sell`. */
  readonly limits: VisitLimits
  /** Answers all but tickets: `GET` and `POST` of the base, `DELETE` of a run. Nobody may have read the body. */
  answer(request: IncomingMessage, run?: string): Promise<EndpointAnswer>
  /** Whether a request for a ticket of that run may go on to the limiter: null, or the answer that turns it away. */
  enter(request: IncomingMessage, run: string): EndpointAnswer | null
  /** Answers a request that has entered and that the limiter has let through. */
  sell(request: IncomingMessage): Promise<EndpointAnswer>
  /** Of the latest 32 titles, ended runs too: a dashboard goes on showing them. */
  limiters(): readonly Limiter[]
  /** Ends the open run. A store that was passed in stays open. */
  close(): Promise<void>
}

/**
 * A load-test endpoint that takes any policies for one run.
 *
 * @example
 * const crowd = loadTestEndpoint({ store, observers: [recorder] })
 * app.all('/crowd', async (req, res) => give(res, await crowd.answer(req)))
 * app.all('/crowd/:run', async (req, res) => give(res, await crowd.answer(req, req.params.run)))
 * app.post('/crowd/:run/tickets', enter, rateLimit(crowd.limits), async (req, res) => give(res, await crowd.sell(req)))
 */
export function loadTestEndpoint(options: LoadTestEndpointOptions = {}): LoadTestEndpoint {
  checkNames(options, '', ['base', 'clock', 'store', 'observers', 'logger'])
  const { base, clock, ...settings } = options
  if (clock !== undefined && typeof clock?.nowUs !== 'function')
    throw optionError('clock', 'an object with nowUs()', clock)
  // The limiters of runs will have them.
  readCommonSettings(settings, [])
  return new OneRunEndpoint({ base: readBase(base), clock, ...settings })
}

class OneRunEndpoint implements LoadTestEndpoint {
  readonly limits: VisitLimits
  readonly #base: string
  readonly #clock: Clock
  /** Made here, and so closed here. */
  readonly #ownStore: Store | undefined
  readonly #turns: Turns
  /** Admitted visitors who stay for a while. */
  readonly #inside: Sleepers

  constructor({ base, clock, store, ...settings }: LoadTestEndpointOptions & { base: string }) {
    this.#base = base
    this.#clock = clock ?? monotonicClock
    this.#inside = new Sleepers(Number.POSITIVE_INFINITY, clock)
    this.#ownStore = store === undefined ? memoryStore() : undefined
    this.#turns = new Turns({ ...settings, store: store ?? this.#ownStore }, this.#clock)
    this.limits = { limiter: { name: 'crowd', check: (visit) => this.#check(visit) }, key: visitOf }
  }

  async answer(request: IncomingMessage, run?: string): Promise<EndpointAnswer> {
    try {
      checkLocal(request)
      return run === undefined ? await this.#answerBase(request) : this.#answerRun(request, run)
    } catch (thrown) {
      return answerOf(thrown)
    }
  }

  enter(request: IncomingMessage, run: string): EndpointAnswer | null {
    try {
      checkLocal(request)
      beginVisit(request, this.#turns.find(run).run)
      return null
    } catch (thrown) {
      return answerOf(thrown)
    }
  }

  async sell(request: IncomingMessage): Promise<EndpointAnswer> {
    const { run, visitor, askedUs, answeredUs } = visitOf(request)
    await this.#stay(run.order.visitMs)
    const ticket: CrowdTicket = { run: run.id, visitor, askedUs, answeredUs }
    return jsonAnswer(201, ticket)
  }

  limiters(): readonly Limiter[] {
    return this.#turns.limiters
  }

  async close(): Promise<void> {
    this.#inside.close(new Error('the endpoint is closed'))
    this.#turns.end()
    await this.#ownStore?.close()
  }

  async #stay(ms: number): Promise<void> {
    if (ms === 0 || this.#inside.closedBy !== undefined) return
    // Whoever is inside leaves when the endpoint closes.
    await this.#inside.sleep(ms, undefined).catch(() => {})
  }

  async #check(visit: Visit): Promise<Decision> {
    visit.askedUs = this.#clock.nowUs()
    const decision = await visit.run.check(visit.visitor)
    visit.answeredUs = this.#clock.nowUs()
    return decision
  }

  async #answerBase(request: IncomingMessage): Promise<EndpointAnswer> {
    const { method = '' } = request
    if (method === 'GET' || method === 'HEAD') return jsonAnswer(200, this.#state())
    if (method !== 'POST') throw wrongMethod('GET, HEAD, POST')
    const run = await this.#turns.begin(orderOf(await readBody(request)))
    return jsonAnswer(201, this.#told(run), [['Location', `${this.#base}/${run.id}`]])
  }

  #answerRun({ method }: IncomingMessage, id: string): EndpointAnswer {
    if (method !== 'DELETE') throw wrongMethod('DELETE')
    this.#turns.find(id)
    this.#turns.end()
    return noContent
  }

  #state(): EndpointState {
    const { open } = this.#turns
    if (open === null) return { open }
    const { run, leftMs: endsInMs } = open
    const { order, admitted, refused } = run
    return { open: { ...this.#told(run), title: order.title, endsInMs, admitted, refused } }
  }

  #told({ id: run, limiter, order: { seconds } }: Run): OpenedRun {
    return { run, limiter: limiter.name, tickets: `${this.#base}/${run}/tickets`, seconds }
  }
}

function readBase(base: unknown = '/crowd'): string {
  if (typeof base === 'string' && /^(?:\/[\w.~-]+)+$/.test(base)) return base
  throw optionError('base', 'a path such as "/crowd"', base)
}

/** Throws a Problem for a client that is not on this machine: it sets limits. */
function checkLocal(request: IncomingMessage): void {
  const why = whyNotLocal(request)
  if (why !== undefined)
    throw new Problem(
      403,
      `The load-test endpoint serves this machine only, and this request is refused: ${why}.`,
    )
}

function wrongMethod(allowed: string): Problem {
  return new Problem(405, `Here only ${allowed} will do.`, { headers: [['Allow', allowed]] })
}
