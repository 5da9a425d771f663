import { HttpException } from '@nestjs/common'
import type { Decision } from '@sluice/core'
import { decisions } from '@sluice/core/internal'
import {
  asError,
  clientClosedRequest,
  type Ended,
  type HeaderPort,
  type RequestFacts,
  refusalAsError,
  stateOf,
  writeFields,
} from '@sluice/http/internal'
import { RateLimitException } from './exception.ts'
import type { RequestGate } from './options.ts'

/** A call that is counted by itself although it is no request: a field of GraphQL, or a message of a gateway. */
export interface Call {
  /** The request that functions of options get. */
  readonly request: object
  readonly facts: RequestFacts
  /** The object through which all calls of one request share the fields and the client. */
  readonly holder: object
  /** Nest's own list of arguments: guards and interceptors of one call get the same. */
  readonly args: readonly unknown[]
  /** Another object that stands for this call only, and reaches its handler. */
  readonly anchor: unknown
  readonly fields: HeaderPort
}

interface Passed {
  readonly decision: Decision
  readonly onEnd: ((ended: Ended) => void) | undefined
}

/** The decisions on a call, kept from its guards to its handler: they end with the call. */
const passed = new WeakMap<readonly unknown[], Passed[]>()
/** The binding decisions of calls by their anchors. */
const bindingOf = new WeakMap<object, Decision>()

export const nowhere: HeaderPort = { headersSent: false, getHeader: () => undefined, setHeader: () => {} }

/** The binding decision of a call so far. */
export function decisionOf(anchor: unknown): Decision | null {
  return isObject(anchor) ? (bindingOf.get(anchor) ?? null) : null
}

/** Passes a call through a gate. Rejects with the error that takes the place of the handler's answer. */
export async function passCall(gate: RequestGate, call: Call): Promise<true> {
  const state = stateOf(call.holder)
  const exchange = { request: call.request, facts: call.facts, state, call: stateOf(call.args) }
  try {
    const { decision, headers, gone, onEnd } = await gate.decide(exchange)
    if (gone === true) throw new HttpException('the client has gone', clientClosedRequest)
    if (decision === null) return true
    // A later guard may refuse, or the fields fail: then no handler gives back the places that are held.
    decisions.lapseLeases(decision)
    writeFields(state, headers, call.fields)
    leaveDecision(decision, call.anchor)
    if (!decision.allowed) {
      const refusal = await gate.refuse(exchange, decision)
      const error = refusalAsError(call.holder, decision, refusal)
      throw new RateLimitException(error, gate.refusesByError ? null : refusal)
    }
    addPassed(call.args, { decision, onEnd })
    return true
  } catch (thrown) {
    // No handler follows that would give back the places that earlier limits hold.
    begin(call.args)?.(statusOf(thrown))
    throw thrown instanceof HttpException ? thrown : asError(thrown)
  }
}

/** The status that HTTP would answer. */
export function statusOf(thrown: unknown): number {
  return thrown instanceof HttpException ? thrown.getStatus() : 500
}

function leaveDecision(decision: Decision, anchor: unknown): void {
  if (!isObject(anchor)) return
  const earlier = bindingOf.get(anchor)
  if (earlier === undefined || decisions.decisionBindsMore(decision, earlier)) bindingOf.set(anchor, decision)
}

function addPassed(args: readonly unknown[], one: Passed): void {
  const earlier = passed.get(args)
  if (earlier === undefined) passed.set(args, [one])
  else earlier.push(one)
}

/** Notes that the handler of a call begins. Returns a function to call when it is over, with the status that HTTP would have. */
export function begin(args: readonly unknown[]): ((status: number) => void) | undefined {
  const all = passed.get(args)
  if (all === undefined) return undefined
  passed.delete(args)
  for (const { decision } of all) decisions.keepLeases(decision)
  return function end(status) {
    for (const { decision, onEnd } of all) {
      void decision.release()
      onEnd?.({ status, aborted: status === clientClosedRequest })
    }
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
