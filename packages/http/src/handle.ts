import type { Refused } from '@sluice/core'
import { isLater } from '@sluice/core/internal'
import { type Answer, clientClosedRequest, Ending } from './ending.ts'
import type { Exchange, Gate, GateOutcome } from './gate.ts'
import type { Maybe } from './options.ts'
import { plainText, refusalAsError } from './refusal.ts'
import { type HeaderPort, type RequestState, stateOf, writeFields } from './request-state.ts'
import type { Outcome, Refusal, RequestFacts } from './request-view.ts'
import { Work } from './work.ts'

/** One request of a framework, where its fields are written, and its answer: Node's own response, or what stands for one. */
export interface Handled<Req> {
  readonly request: Req
  readonly facts: RequestFacts
  readonly fields: HeaderPort
  readonly raw: Answer
}

/** What an adapter does with a request. */
export interface HandledOutcome extends Outcome {
  /** The work of an allowed request that holds places in flight: for an adapter whose framework knows when a handler ends. */
  readonly work?: Work | undefined
}

class HandledExchange<Req extends object> implements Handled<Req>, Exchange<Req> {
  declare readonly request: Req
  declare readonly facts: RequestFacts
  declare readonly fields: HeaderPort
  declare readonly raw: Answer
  declare readonly state: RequestState

  constructor({ request, facts, fields, raw }: Handled<Req>) {
    this.request = request
    this.facts = facts
    this.fields = fields
    this.raw = raw
    this.state = stateOf(request)
  }
}

/** For a client that hung up: this answer has no reader, and no route runs. */
const gone: Outcome = {
  decision: null,
  headers: [],
  refusal: plainText(clientClosedRequest, ''),
}

/**
 * Asks a gate: writes the fields, ends with the response, and says whether to go on. Throws and rejects with what
 * the user's own functions throw, and with a RefusedError where refusals are errors.
 */
export function handleRequest<Req extends object>(
  gate: Gate<Req>,
  handled: Handled<Req>,
): Maybe<HandledOutcome> {
  const exchange = new HandledExchange(handled)
  const { state, raw } = exchange
  state.response ??= raw
  // It listens before the decision: a response may end while that is awaited.
  if (gate.settles) state.ending ??= new Ending(raw)
  const outcome = gate.decide(exchange)
  return isLater(outcome)
    ? outcome.then((decided) => finish(gate, exchange, decided))
    : finish(gate, exchange, outcome)
}

function finish<Req extends object>(
  gate: Gate<Req>,
  exchange: HandledExchange<Req>,
  outcome: GateOutcome,
): Maybe<HandledOutcome> {
  const { decision, headers, inFlight, onEnd } = outcome
  if (decision === null) return outcome.gone === true ? gone : outcome
  const { state, raw, fields } = exchange
  try {
    writeFields(state, headers, fields)
  } catch (thrown) {
    // No handler runs, whose end would free the place.
    if (decision.allowed) void decision.release()
    throw thrown
  }
  if (!decision.allowed) {
    const refusal = gate.refuse(exchange, decision)
    return isLater(refusal)
      ? refusal.then((given) => refuse(gate, exchange, { decision, headers, refusal: given }))
      : refuse(gate, exchange, { decision, headers, refusal })
  }
  if (onEnd !== undefined) state.ending?.whenOver(onEnd)
  if (inFlight === true) outcome.work = new Work(decision, raw, gate.readers)
  return outcome
}

function refuse<Req extends object>(
  gate: Gate<Req>,
  { request, raw }: HandledExchange<Req>,
  outcome: Outcome & { readonly decision: Refused; readonly refusal: Refusal },
): Outcome {
  // An answer that has begun cannot become another one: the client must not take it for a whole one.
  if (raw.headersSent && !raw.writableEnded) raw.destroy()
  // Another answer was sent in the meantime, by a timeout for example: there is nothing to add.
  else if (!gate.refusesByError || raw.headersSent) return outcome
  throw refusalAsError(request, outcome.decision, outcome.refusal)
}
