import { type ExecutionContext, HttpException } from '@nestjs/common'
import { isRefusedError } from '@sluice/core'
import { isLater } from '@sluice/core/internal'
import {
  asError,
  bindingDecision,
  clientClosedRequest,
  type HandledOutcome,
  handleRequest,
  type Maybe,
  refusalAsError,
} from '@sluice/http/internal'
import { begin, type Call, passCall } from './calls.ts'
import { RateLimitException } from './exception.ts'
import { fieldCall } from './graphql.ts'
import { type AnyReply, type AnyRequest, answerOf, factsOf, fieldsOf, isReply, type Trust } from './http.ts'
import { isGone, messageCall, messageError } from './messages.ts'
import type { RequestGate } from './options.ts'
import { passUncounted } from './uncounted.ts'
import { addWork } from './work.ts'

/** Asks a gate about what a handler is about to answer. Throws and rejects with what Nest's filters are to answer in its place. */
export function pass(gate: RequestGate, context: ExecutionContext, trust: Trust): Maybe<true> {
  switch (context.getType<string>()) {
    case 'http':
      return passRequest(gate, context)
    case 'graphql':
      return passCall(gate, fieldCall(context, trust))
    case 'ws':
      return passMessage(gate, messageCall(context, trust))
    default:
      return passUncounted(gate, context)
  }
}

async function passMessage(gate: RequestGate, call: Call): Promise<true> {
  try {
    await passCall(gate, call)
    // Nest calls no handler for a client that has gone while its message was counted.
    if (isGone(call.request)) begin(call.args)?.(clientClosedRequest)
    return true
  } catch (thrown) {
    throw await messageError(thrown)
  }
}

function passRequest(gate: RequestGate, context: ExecutionContext): Maybe<true> {
  const request: AnyRequest = context.getArgByIndex(0)
  const response: AnyReply = context.getArgByIndex(1)
  try {
    const outcome = handleRequest(gate, {
      request,
      facts: factsOf(request, context),
      fields: fieldsOf(response),
      raw: answerOf(response),
    })
    return isLater(outcome) ? later(outcome, request, response) : goesOn(outcome, request, response)
  } catch (thrown) {
    throw failure(thrown, request, response)
  }
}

async function later(
  outcome: Promise<HandledOutcome>,
  request: AnyRequest,
  response: AnyReply,
): Promise<true> {
  try {
    return goesOn(await outcome, request, response)
  } catch (thrown) {
    throw failure(thrown, request, response)
  }
}

function goesOn({ decision, refusal, work }: HandledOutcome, request: AnyRequest, response: AnyReply): true {
  if (refusal !== null) {
    if (decision === null || decision.allowed) throw new HttpException('the client has gone', refusal.status)
    throw new RateLimitException(refusalAsError(request, decision, refusal), refusal)
  }
  leaveDecision(request)
  if (work !== undefined) addWork(response, work)
  return true
}

function leaveDecision(request: AnyRequest): void {
  Object.assign(request, { rateLimit: bindingDecision(request) })
}

/** What is thrown in the place of a handler. */
function failure(thrown: unknown, request: AnyRequest, response: AnyReply): Error {
  leaveDecision(request)
  // Where an answer has begun, Fastify would send headers again for whatever a filter does, which crashes the process.
  if (isReply(response) && response.raw.headersSent) response.hijack()
  if (thrown instanceof HttpException) return thrown
  return isRefusedError(thrown) ? new RateLimitException(thrown, null) : asError(thrown)
}
