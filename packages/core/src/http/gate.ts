import type { ServerResponse } from 'node:http'
import type { Decision, Refused } from '../decision.ts'
import { denied } from '../limiter/decided.ts'
import { PolicyLimiter } from '../limiter/policy-limiter.ts'
import { settleWith } from '../limiter/settings.ts'
import { refusedError } from '../refused-error.ts'
import { type AskedDecider, Asker } from './ask.ts'
import { Ending } from './ending.ts'
import { type HeaderPort, mergeFields, writeFields } from './merge.ts'
import {
  type AnyOptions,
  fixedPolicies,
  type Rules,
  readChoices,
  readRules,
  refuseSettings,
} from './options.ts'
import { type Field, refusalOf } from './outcome.ts'
import { type RequestState, stateOf, writtenFields } from './request-state.ts'
import type { Outcome, Refusal, RequestFacts, RequestView } from './view.ts'
import { viewOf } from './view-of.ts'
import { AddressWarnings } from './warnings.ts'

/** One request on its way through: what the framework hands over, and where fields are written. */
export interface Exchange<Req> {
  readonly request: Req
  readonly facts: RequestFacts
  readonly fields: HeaderPort
  readonly raw: ServerResponse
}

const skipped: Outcome = { decision: null, headers: [], refusal: null }

/** What an adapter puts before a route: decides, writes the fields, and says whether to go on. */
export class Gate<Req extends object> {
  readonly limiter: AskedDecider
  readonly #rules: Rules
  readonly #options: AnyOptions<Req>
  readonly #asker: Asker<Req>
  readonly #warnings: AddressWarnings
  readonly #nowMs: () => number

  constructor(
    options: AnyOptions<Req>,
    about: { limiter: AskedDecider; rules: Rules; nowMs?: () => number },
  ) {
    this.#options = options
    this.#rules = about.rules
    this.limiter = about.limiter
    this.#asker = new Asker(options, about.limiter)
    this.#warnings = new AddressWarnings((code, message) => this.#warn(code, message))
    this.#nowMs = about.nowMs ?? Date.now
  }

  /** Throws and rejects with what the user's own functions throw, and with a RefusedError where refusals are errors. */
  handle(exchange: Exchange<Req>): Outcome | Promise<Outcome> {
    const { request, facts } = exchange
    const state = stateOf(request)
    const earlier = state.decisions.get(this)
    // A router that is mounted twice runs its middleware twice: counted once.
    if (earlier !== undefined) return { decision: earlier, headers: [], refusal: null }
    state.decisions.set(this, null)
    const view = viewOf(facts, this.#rules.ipv6Prefix)
    this.#warnings.look(view, facts.trust)
    const { address } = view
    if (address !== undefined) {
      if (this.#rules.denied?.(address) === true) return this.#finish(exchange, view, this.#deny(view))
      if (this.#rules.allowed?.(address) === true) return skipped
    }
    const ending = this.#options.settle === undefined ? undefined : new Ending(exchange.raw)
    const decision = this.#asker.ask(request, view)
    return decision instanceof Promise
      ? this.#later(exchange, view, { decision, ending })
      : this.#finish(exchange, view, decision, ending)
  }

  async #later(
    exchange: Exchange<Req>,
    view: RequestView,
    { decision, ending }: { decision: Promise<Decision | null>; ending: Ending | undefined },
  ): Promise<Outcome> {
    return this.#finish(exchange, view, await decision, ending)
  }

  #finish(
    exchange: Exchange<Req>,
    view: RequestView,
    decision: Decision | null,
    ending?: Ending,
  ): Outcome | Promise<Outcome> {
    if (decision === null) return skipped
    const { request, raw, fields } = exchange
    const state = stateOf(request)
    if (this.#rules.draft) this.#lookForNamesake(state, decision)
    state.decisions.set(this, decision)
    const headers = mergeFields(state, decision, { rules: this.#rules, nowMs: this.#nowMs })
    if (!raw.headersSent) writeFields(state, headers, fields)
    if (decision.allowed) {
      if (ending !== undefined) this.#settleAtEnd(request, decision, ending)
      return { decision, headers, refusal: null }
    }
    const refusal = refusalOf(decision, view.header('accept'))
    const changed = this.#options.onRefused?.(request, decision, refusal)
    return changed instanceof Promise
      ? changed.then((other) => this.#refuse(decision, headers, { request, refusal: other ?? refusal }))
      : this.#refuse(decision, headers, { request, refusal: changed ?? refusal })
  }

  #refuse(
    decision: Refused,
    headers: readonly Field[],
    { request, refusal }: { request: Req; refusal: Refusal },
  ): Outcome {
    if (!this.#rules.refuseByError) return { decision, headers, refusal }
    const { status, body } = refusal
    throw refusedError(decision, titleOf(body, status), { status, headers: writtenFields(request) })
  }

  #settleAtEnd(request: Req, decision: Decision, ending: Ending): void {
    ending.whenOver(async (response) => {
      try {
        const cost = await this.#options.settle?.(request, response)
        if (cost !== undefined) await decision.settle(cost)
      } catch (error) {
        this.#warn('SLUICE_SETTLE_FAILED', `settle threw, and the charge stays: ${String(error)}`)
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

/** A sentence for an error's message out of a refusal's body. */
function titleOf(body: string, status: number): string {
  return body === '' || body.startsWith('{')
    ? status === 503
      ? 'Service Unavailable'
      : 'Too Many Requests'
    : body
}

/** A gate from a user's options; `extra` names options that an adapter adds. */
export function createGate<Req extends object>(
  options: AnyOptions<Req>,
  extra: readonly string[] = [],
): Gate<Req> {
  const rules = readRules(options, extra)
  if (options.limiter !== undefined) {
    refuseSettings(options)
    return new Gate(options, { limiter: options.limiter as AskedDecider, rules }) // asked as its own key function answers
  }
  const policies = fixedPolicies(readChoices(options))
  return new Gate(options, { limiter: new PolicyLimiter(settleWith(options, policies)), rules })
}
