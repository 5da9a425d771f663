import { HttpException } from '@nestjs/common'
import type { Decision } from '@sluice/core'
import { decisions } from '@sluice/core/internal'
import {
  asError,
  type Ended,
  type HeaderPort,
  type RequestFacts,
  refusalAsError,
  stateOf,
  writeFields,
} from '@sluice/http/internal'
import { RateLimitException } from './exception.ts'
import type { RequestGate } from './options.ts'

/** What is counted by itself although it is no request: a field of GraphQL, or a message of a gateway. */
export interface Call {
  /** What functions of options get. */
  readonly request: object
  readonly facts: RequestFacts
  /** Whose fields, and whose client, all calls of one request share. */
  readonly holder: object
  /** Nest's own list of arguments: guards and interceptors of one call get the same. */
  readonly args: readonly unknown[]
  /** What else stands for this call only, and reaches its handler. */
  readonly anchor: unknown
  readonly fields: HeaderPort
}

interface Passed {
  readonly decision: Decision
  readonly onEnd: ((ended: Ended) => void) | undefined
}

/** What is to be ended with a call, from its guards to its handler. */
const passed = new WeakMap<readonly unknown[], Passed[]>()
/** The binding decisions of calls by their anchors. */
const bindingOf = new WeakMap<object, Decision>()

export const nowhere: HeaderPort = { headersSent: false, getHeader: () => undefined, setHeader: () => {} }

/** The binding decision of a call so far. */
export function decisionOf(anchor: unknown): Decision | null {
  return isObject(anchor) ? (bindingOf.get(anchor) ?? null) : null
}

/** Rejects with what stands in the place of a handler. */
export async function passCall(gate: RequestGate, call: Call): Promise<true> {
  const state = stateOf(call.holder)
  const exchange = { request: call.request, facts: call.facts, state, call: stateOf(call.args) }
  try {
    const { decision, headers, gone, onEnd } = await gate.decide(exchange)
    if (gone === true) throw new HttpException('the client has gone', 499)
    if (decision === null) return true
    // A later guard may refuse, or the fields fail: then no handler ends what is held.
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
    // No handler follows that would end what earlier limits hold.
    begin(call.args)?.(statusOf(thrown))
    throw thrown instanceof HttpException ? thrown : asError(thrown)
  }
}

/** What HTTP would answer. */
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

/** The handler of a call begins: what is called when it is over, with the status that HTTP would have. */
export function begin(args: readonly unknown[]): ((status: number) => void) | undefined {
  const all = passed.get(args)
  if (all === undefined) return undefined
  passed.delete(args)
  for (const { decision } of all) decisions.keepLeases(decision)
  return function end(status) {
    for (const { decision, onEnd } of all) {
      void decision.release()
      onEnd?.({ status, aborted: false })
    }
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
