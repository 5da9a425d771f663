import type { ServerResponse } from 'node:http'
import type { Decision, Refused } from '../decision.ts'
import { denied, giveClient, refusedUncounted } from '../limiter/decided.ts'
import { isClosed } from '../limiter/holding.ts'
import { PolicyLimiter } from '../limiter/policy-limiter.ts'
import { settleWith } from '../limiter/settings.ts'
import { checkNames } from '../options.ts'
import { isInFlight } from '../strategies/in-flight.ts'
import { asError } from './as-error.ts'
import { type AskedDecider, Asker } from './ask.ts'
import { clientClosedRequest, Ending, isGone, whenClosed } from './ending.ts'
import type { Exchange } from './exchange.ts'
import { checkHolding, patienceOf } from './holding.ts'
import { isLater } from './later.ts'
import { mergeFields, writeFields } from './merge.ts'
import type { AnyOptions } from './options.ts'
import { Refuser } from './refuser.ts'
import { type RequestState, stateOf } from './request-state.ts'
import {
  checkCost,
  fixedPolicies,
  gateNames,
  type Rules,
  readChoices,
  readRules,
  refuseSettings,
} from './rules.ts'
import type { Outcome, RequestFacts, RequestView } from './view.ts'
import { viewOf } from './view-of.ts'
import { AddressWarnings } from './warnings.ts'
import { type Work, workOf } from './work.ts'

const skipped: Outcome = { decision: null, headers: [], refusal: null }
/** For a client that hung up: nobody reads this answer, and no route runs. */
const gone: Outcome = {
  decision: null,
  headers: [],
  refusal: { status: clientClosedRequest, type: 'text/plain', body: '' },
}

/** What an adapter puts before a route: decides, writes the fields, and says whether to go on. */
export class Gate<Req extends object> {
  readonly limiter: AskedDecider
  readonly #rules: Rules
  readonly #options: AnyOptions<Req>
  readonly #asker: Asker<Req>
  readonly #refuser: Refuser<Req>
  readonly #warnings: AddressWarnings
  readonly #nowMs: () => number
  /** Its requests may hold places in flight. */
  readonly holds: boolean

  constructor(
    options: AnyOptions<Req>,
    about: { limiter: AskedDecider; rules: Rules; nowMs?: () => number },
  ) {
    this.#options = options
    this.#rules = about.rules
    this.limiter = about.limiter
    if (about.rules.maxWaitUs > 0) checkHolding(about.limiter, about.rules.maxWaitUs)
    this.#asker = new Asker(options, about.limiter)
    this.#refuser = new Refuser(options.onRefused, about.rules.refuseByError)
    this.#warnings = new AddressWarnings((code, message) => this.#warn(code, message))
    this.#nowMs = about.nowMs ?? Date.now
    this.holds = mayHold(about.limiter)
  }

  /** Throws and rejects with what the user's own functions throw, and with a RefusedError where refusals are errors. */
  handle(exchange: Exchange<Req>): Outcome | Promise<Outcome> {
    const { request, facts, raw } = exchange
    const earlier = stateOf(request).decisions.get(this)
    const view = viewOf(facts, this.#rules.ipv6Prefix)
    // A router that is mounted twice runs its middleware twice: counted once.
    if (earlier !== undefined) return this.#repeat(exchange, view, earlier)
    // With the connection went the address: who this was, and whether a list denies him, cannot be known any more.
    if (view.address === undefined && isGone(raw)) return gone
    this.#warnings.look(view, facts)
    const { address } = view
    if (address !== undefined) {
      if (this.#rules.denied?.(address) === true) return this.#finish(exchange, view, this.#deny(view))
      if (this.#rules.allowed?.(address) === true) return this.#finish(exchange, view, null)
    }
    const ending = this.#options.settle === undefined ? undefined : new Ending(raw)
    if (this.#rules.maxWaitUs > 0) return this.#hold(exchange, view, ending)
    const decision = this.#asker.ask(request, view)
    return isLater(decision)
      ? this.#later(exchange, view, { decision, ending })
      : this.#finish(exchange, view, decision, ending)
  }

  /** Decided when its time has come. Nobody is there any more to be answered where the client has gone. */
  async #hold(exchange: Exchange<Req>, view: RequestView, ending: Ending | undefined): Promise<Outcome> {
    const patience = patienceOf(exchange.raw, this.#rules.maxWaitUs)
    let decision: Decision | null
    try {
      decision = await this.#asker.ask(exchange.request, view, patience)
    } catch (thrown) {
      if (thrown === patience.signal.reason) return gone
      if (!isClosed(thrown)) throw thrown
      decision = refusedUncounted(this.limiter.name, '', {
        key: view.network,
        reason: 'store-unavailable',
        retryAfterMs: 1000,
      })
    }
    return this.#finish(exchange, view, decision, ending)
  }

  /** What was refused once stays refused, should an error handler have sent the request on. */
  #repeat(exchange: Exchange<Req>, view: RequestView, earlier: Decision | null): Outcome | Promise<Outcome> {
    if (earlier === null || earlier.allowed) return { decision: earlier, headers: [], refusal: null }
    return this.#refuser.refuse(exchange, earlier, { headers: [], accept: view.header('accept') })
  }

  async #later(
    exchange: Exchange<Req>,
    view: RequestView,
    { decision, ending }: { decision: PromiseLike<Decision | null>; ending: Ending | undefined },
  ): Promise<Outcome> {
    return this.#finish(exchange, view, await decision, ending)
  }

  #finish(
    exchange: Exchange<Req>,
    view: RequestView,
    decision: Decision | null,
    ending?: Ending,
  ): Outcome | Promise<Outcome> {
    const { request, raw, fields } = exchange
    const state = stateOf(request)
    state.decisions.set(this, decision)
    if (decision === null) return skipped
    state.raw ??= raw
    giveClient(decision, state)
    const work = this.holds ? this.#workOf(decision, raw) : undefined
    if (this.#rules.draft) this.#lookForNamesake(state, decision)
    const headers = mergeFields(state, decision, { rules: this.#rules, nowMs: this.#nowMs })
    if (!raw.headersSent) writeFields(state, headers, fields)
    if (decision.allowed) {
      if (ending !== undefined) this.#settleAtEnd(request, decision, ending)
      return { decision, headers, refusal: null, work }
    }
    return this.#refuser.refuse(exchange, decision, { headers, accept: view.header('accept') })
  }

  /** What a request has in flight is over with its work, whoever answers it; or as soon as its client has gone. */
  #workOf(decision: Decision, raw: ServerResponse): Work | undefined {
    if (!this.#rules.releaseOnAbort) return workOf(decision, raw)
    whenClosed(raw, () => void decision.release())
    return undefined
  }

  #settleAtEnd(request: Req, decision: Decision, ending: Ending): void {
    ending.whenOver(async (response) => {
      try {
        const cost = await this.#options.settle?.(request, response)
        if (cost === undefined) return
        checkCost(cost, 'settle', namesOf(this.limiter))
        await decision.settle(cost)
      } catch (thrown) {
        this.#warn('SLUICE_SETTLE_FAILED', `the charge stays, as settle failed: ${asError(thrown).message}`)
      }
    })
  }

  /** Two items of one name in a field: a client cannot tell them apart. */
  #lookForNamesake({ decisions }: RequestState, { limiter }: Decision): void {
    for (const [gate, earlier] of decisions) {
      if (gate === this || earlier?.limiter !== limiter) continue
      this.#warn(
        'SLUICE_SAME_NAME',
        `two limiters called "${limiter}" answer one request: give each a name of its own`,
      )
    }
  }

  #deny(view: RequestView): Refused {
    return this.limiter.deny?.(view.network) ?? denied(this.limiter.name, '', view.network)
  }

  #warn(code: string, message: string): void {
    this.limiter.warned?.(code, message)
  }

  /** What is counted for a request. */
  keyOf(request: Req, facts: RequestFacts): Promise<unknown> {
    return this.#asker.subjectOf(request, viewOf(facts, this.#rules.ipv6Prefix))
  }

  decisionFor(request: Req): Decision | undefined {
    return stateOf(request).decisions.get(this) ?? undefined
  }
}

/** true where a decision may hold places in flight: policies that are chosen for each request, and those of other deciders, may. */
function mayHold({ lanes }: AskedDecider): boolean {
  return lanes === undefined || lanes.some(({ policy }) => policy === null || isInFlight({ policy }))
}

/** Names of the policies; undefined where a decider does not tell them. */
export function namesOf({ lanes }: AskedDecider): readonly string[] | undefined {
  return lanes?.map(({ name }) => name)
}

/** A gate from a user's options; `extra` names options that an adapter adds. */
export function createGate<Req extends object>(
  options: AnyOptions<Req>,
  extra: readonly string[] = [],
): Gate<Req> {
  checkNames(options, '', [...gateNames, ...extra])
  const rules = readRules(options)
  if (options.limiter !== undefined) {
    refuseSettings(options)
    const limiter = options.limiter as AskedDecider // asked as its own key function answers
    checkCost(options.cost, 'cost', namesOf(limiter))
    return new Gate(options, { limiter, rules })
  }
  const policies = fixedPolicies(readChoices(options))
  checkCost(options.cost, 'cost', Object.keys(policies))
  return new Gate(options, { limiter: new PolicyLimiter(settleWith(options, policies)), rules })
}
