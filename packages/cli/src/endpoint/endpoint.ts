import type { IncomingMessage } from 'node:http'
import {
  type Clock,
  type Decider,
  type Decision,
  type Limiter,
  memoryStore,
  type Policies,
  type Store,
} from '@sluice/core'
import { checkNames, limiters, monotonicClock, optionError, waits } from '@sluice/core/internal'
import { jsonAnswer, whyNotLocal } from '@sluice/http/internal'
import { answerOf, type EndpointAnswer, noContent, Problem } from './answer.ts'
import { readBody } from './body.ts'
import { orderOf } from './order.ts'
import type { CrowdTicket, EndpointState, OpenedRun } from './protocol.ts'
import type { Run, RunSettings } from './run.ts'
import { Runs } from './runs.ts'
import { beginVisit, type Visit, visitOf } from './visit.ts'

export interface LoadTestEndpointOptions extends RunSettings {
  /** The path under which the endpoint is mounted. @default '/crowd' */
  base?: string | undefined
  /** The clock for the ends of runs and the times in tickets. @default a monotonic clock */
  clock?: Clock | undefined
}

/** Options for `rateLimit` of any framework, for the route that sells tickets. */
export interface VisitLimits {
  readonly limiter: Decider<Visit>
  key(request: object): Visit
}

/** Routes that accept any policies for one run. Only clients on the same machine are served. */
export interface LoadTestEndpoint {
  /** Options for `rateLimit`, between `enter` and `sell`. */
  readonly limits: VisitLimits
  /** Answers everything except tickets: `GET` and `POST` of the base, `DELETE` of a run. The body must not have been read. */
  answer(request: IncomingMessage, run?: string): Promise<EndpointAnswer>
  /** Returns null if a request for a ticket of that run may go on to the limiter, otherwise the answer that rejects it. */
  enter(request: IncomingMessage, run: string): EndpointAnswer | null
  /** Answers a request that has passed `enter` and the limiter. */
  sell(request: IncomingMessage): Promise<EndpointAnswer>
  /** The limiters of the latest 32 titles, including ended runs: a dashboard keeps showing them. */
  limiters(): readonly Limiter<Policies>[]
  /** Ends the current run. A store that was passed in stays open. */
  close(): Promise<void>
}

/**
 * A load-test endpoint, which accepts any policies for one run.
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
  // Checked here because the limiters of runs get them.
  limiters.readCommonSettings(settings, [])
  return new OneRunEndpoint({ base: readBase(base), clock, ...settings })
}

class OneRunEndpoint implements LoadTestEndpoint {
  readonly limits: VisitLimits
  readonly #base: string
  readonly #clock: Clock
  /** Created here, and therefore closed here. */
  readonly #ownStore: Store | undefined
  readonly #runs: Runs
  /** Admitted visitors whose answers are delayed. */
  readonly #visits: waits.Sleepers
  #closed = false

  constructor({ base, clock, store, ...settings }: LoadTestEndpointOptions & { base: string }) {
    this.#base = base
    this.#clock = clock ?? monotonicClock
    this.#visits = new waits.Sleepers(Number.POSITIVE_INFINITY, clock)
    this.#ownStore = store === undefined ? memoryStore() : undefined
    this.#runs = new Runs({ ...settings, store: store ?? this.#ownStore }, this.#clock)
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
      beginVisit(request, this.#runs.find(run).run)
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

  limiters(): readonly Limiter<Policies>[] {
    return this.#runs.limiters
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#visits.close(new Error('the endpoint is closed'))
    this.#runs.end()
    await this.#ownStore?.close()
  }

  async #stay(ms: number): Promise<void> {
    if (ms === 0 || this.#closed) return
    // Closing the endpoint ends the delay.
    await waits.sleepAmong(this.#visits, ms, undefined).catch(() => {})
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
    const run = await this.#runs.begin(orderOf(await readBody(request)))
    return jsonAnswer(201, this.#describe(run), [['Location', `${this.#base}/${run.id}`]])
  }

  #answerRun({ method }: IncomingMessage, id: string): EndpointAnswer {
    if (method !== 'DELETE') throw wrongMethod('DELETE')
    this.#runs.find(id)
    this.#runs.end()
    return noContent
  }

  #state(): EndpointState {
    const { open } = this.#runs
    if (open === null) return { open }
    const { run, leftMs: endsInMs } = open
    const { order, admitted, refused } = run
    return { open: { ...this.#describe(run), title: order.title, endsInMs, admitted, refused } }
  }

  #describe({ id: run, limiter, order: { seconds } }: Run): OpenedRun {
    return { run, limiter: limiter.name, tickets: `${this.#base}/${run}/tickets`, seconds }
  }
}

function readBase(base: unknown = '/crowd'): string {
  if (typeof base === 'string' && /^(?:\/[\w.~-]+)+$/.test(base)) return base
  throw optionError('base', 'a path such as "/crowd"', base)
}

/** Throws a Problem for a client that is not on this machine, because clients can set limits. */
function checkLocal(request: IncomingMessage): void {
  const why = whyNotLocal(request)
  if (why !== undefined)
    throw new Problem(
      403,
      `The load-test endpoint serves this machine only, and this request is refused: ${why}.`,
    )
}

function wrongMethod(allowed: string): Problem {
  return new Problem(405, `Allowed here: ${allowed}.`, { headers: [['Allow', allowed]] })
}
