import type { Decision } from '@sluice/core'
import { decisions } from '@sluice/core/internal'
import { bindingFields, type Draft, itemFields, itemsOf, quotaFields, quotasOf } from './drafts.ts'
import { type Field, type FieldName, lowerNames, retryAfterOf, type XFields, xFields } from './fields.ts'
import type { RequestState } from './request-state.ts'

/** Which fields are sent. */
interface FieldRules {
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
