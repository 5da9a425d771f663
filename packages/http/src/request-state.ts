import type { Decision } from '@sluice/core'
import { decisions } from '@sluice/core/internal'
import { bindingFields, type Draft, type Item, itemFields, itemsOf, quotaFields, quotasOf } from './drafts.ts'
import { type Ending, isEnded, isGone, whenClosed } from './ending.ts'
import {
  type Field,
  type FieldName,
  lowerNames,
  type Quota,
  retryAfterOf,
  type XFields,
  xFields,
} from './fields.ts'
import { holderOf } from './kept.ts'
import type { Response } from './response.ts'
import type { GateLimiter } from './subject.ts'

// Objects that are made for each request come from constructors, and lists from rest arguments: decision/lane.ts of core says why.

/** A gate that a request has passed. */
export class PassedGate {
  declare readonly gate: { readonly limiter: Pick<GateLimiter, 'store'> }
  /** null: the request was skipped. */
  declare readonly decision: Decision | null
  /** The gate before it. */
  declare readonly before: PassedGate | undefined

  constructor(gate: PassedGate['gate'], decision: Decision | null, before: PassedGate | undefined) {
    this.gate = gate
    this.decision = decision
    this.before = before
  }
}

const none: readonly Field[] = []

/** What the limiters of one request leave on it for each other. */
export class RequestState {
  readonly request: object
  /** The last gate that the request has passed. */
  passed: PassedGate | undefined
  /** The decision that binds most so far. */
  binding: Decision | undefined
  /** Fields that a limiter has set, each name once: other fields are the application's own. */
  fields: readonly Field[] = none
  /** Which draft's fields the response has: the first limiter that sends any chooses. */
  draft: Draft | undefined
  /** Items of both fields from draft 8 on. */
  items: readonly Item[] | undefined
  /** Items of `RateLimit-Policy` in drafts 6 and 7. */
  quotas: readonly Quota[] | undefined
  /** The response, or the socket of an upgrade, once a gate has seen the request. */
  response: Response | undefined
  /** How the response ends, once a limiter settles by it. */
  ending: Ending | undefined
  #aborted: AbortController | undefined

  constructor(request: object) {
    this.request = request
  }

  /** What a gate has decided; undefined where it has not run. */
  decisionOf(gate: object): Decision | null | undefined {
    let { passed } = this
    while (passed !== undefined && passed.gate !== gate) passed = passed.before
    return passed?.decision
  }

  /** Whether the client has gone, so that no answer can reach it. */
  get gone(): boolean {
    return this.response !== undefined && isGone(this.response)
  }

  /** Aborted when the client has gone before its response was ended. */
  get signal(): AbortSignal {
    if (this.#aborted !== undefined) return this.#aborted.signal
    const aborted = new AbortController()
    this.#aborted = aborted
    this.onClose(() => {
      if (this.response === undefined || !isEnded(this.response)) aborted.abort()
    })
    return aborted.signal
  }

  /** Calls when the request is over, at once where it is already: after its end, an abort and an error alike. */
  onClose(call: () => void): void {
    if (this.response !== undefined) whenClosed(this.response, call)
  }
}

// By a registered symbol, so that two copies of this package see each other.
const mark = Symbol.for('sluice.request')

/** Of requests that take no property, such as frozen ones: kept.ts says why of no others. */
const frozen = new WeakMap<object, RequestState>()

export function stateOf(request: object): RequestState {
  const holder: { readonly [mark]?: RequestState } = holderOf(request)
  const known = holder[mark] ?? frozen.get(request)
  // A request that was made up for a test may share its list with others.
  if (known?.request === request) return known
  const state = new RequestState(request)
  if (!Reflect.set(holder, mark, state)) frozen.set(request, state)
  return state
}

/** The decision that binds most of all limiters that a request has met; undefined while none has counted it. */
export function bindingDecision(request: object): Decision | undefined {
  return stateOf(request).binding
}

/** The fields that limiters have set on a request's response: what an error handler that clears headers must bring back. */
export function writtenFields(request: object): Readonly<Record<string, string>> {
  const { fields } = stateOf(request)
  return Object.fromEntries(fields.map(([name, value]) => [lowerNames[name], value]))
}

/** Which fields are sent. */
export interface FieldRules {
  readonly x: XFields
  readonly draft: Draft | false
}

/**
 * The fields of one more decision on a request: those of the binding policy stay, draft items are joined, Retry-After is the longest
 * wait.
 */
export function mergeFields(
  state: RequestState,
  decision: Decision,
  { rules, nowMs }: { rules: FieldRules; nowMs: () => number },
): readonly Field[] {
  const binds = state.binding === undefined || decisions.decisionBindsMore(decision, state.binding)
  if (binds) state.binding = decision
  const fields = binds ? xFields(decision, rules.x, nowMs) : []
  if (rules.draft !== false) {
    // No client reads a response that mixes two drafts.
    state.draft ??= rules.draft
    if (state.draft === 8) {
      state.items = itemsOf(decision, state.items)
      fields.push(...itemFields(state.items))
    } else {
      state.quotas = quotasOf(decision, state.quotas)
      fields.push(...quotaFields(state.quotas))
      if (binds) fields.push(...bindingFields(decision, state.draft))
    }
  }
  if (decision.allowed) return fields
  const retryAfter = retryAfterOf(decision)
  if (retryAfter !== null) {
    const earlier = Number(valueIn(state.fields, 'Retry-After') ?? 0)
    fields.push(['Retry-After', String(Math.max(retryAfter, earlier))])
  }
  fields.push(['Cache-Control', 'no-store'])
  return fields
}

function valueIn(fields: readonly Field[], name: FieldName): string | undefined {
  for (let i = 0; i < fields.length; i++) if (fields[i]?.[0] === name) return fields[i]?.[1]
  return undefined
}

/** Where fields are written: a response, or what a framework has in its place. */
export interface HeaderPort {
  readonly headersSent: boolean
  getHeader(lowerName: string): unknown
  setHeader(name: string, value: string, lowerName: string): unknown
}

/** Writes fields while there is time for that; a field that the application has set itself stays as it is. */
export function writeFields(state: RequestState, fields: readonly Field[], port: HeaderPort): void {
  if (port.headersSent) return
  const earlier = state.fields
  let written = fields
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i]
    if (field === undefined) continue
    const [name, value] = field
    const lower = lowerNames[name]
    const present = port.getHeader(lower)
    if (present === undefined || String(present) === valueIn(earlier, name))
      port.setHeader(name, value, lower)
    else written = written.filter((each) => each !== field)
  }
  state.fields = earlier.length === 0 ? written : joined(earlier, written)
}

/** A later field takes the place of an earlier one of its name. */
function joined(earlier: readonly Field[], later: readonly Field[]): readonly Field[] {
  return [...earlier.filter(([name]) => valueIn(later, name) === undefined), ...later]
}
