import type { Decision } from '../decision/decision.ts'
import { decisionBindsMore } from '../decision/limiter-decision.ts'
import { draftFields, type Field, type FieldRules, retryAfterOf, xFields } from './outcome.ts'
import type { RequestState } from './request-state.ts'

/** The fields of one more decision on a request: the binding X- fields stay, draft items are joined, Retry-After is the longest wait. */
export function mergeFields(
  state: RequestState,
  decision: Decision,
  { rules, nowMs }: { rules: FieldRules; nowMs: () => number },
): readonly Field[] {
  const fields: Field[] = []
  if (state.binding === undefined || decisionBindsMore(decision, state.binding)) {
    state.binding = decision
    fields.push(...xFields(decision, rules, nowMs))
  }
  for (const [name, value] of draftFields(decision, rules)) {
    const earlier = state.fields.get(name.toLowerCase())
    fields.push([name, earlier === undefined ? value : `${earlier}, ${value}`])
  }
  if (decision.allowed) return fields
  const retryAfter = retryAfterOf(decision)
  if (retryAfter !== null) {
    const earlier = Number(state.fields.get('retry-after') ?? 0)
    fields.push(['Retry-After', String(Math.max(retryAfter, earlier))])
  }
  fields.push(['Cache-Control', 'no-store'])
  return fields
}

/** Where fields are written: a response, or what a framework has in its place. */
export interface HeaderPort {
  getHeader(name: string): unknown
  setHeader(name: string, value: string): unknown
}

/** Writes fields; a field that the application has set itself stays as it is. */
export function writeFields(state: RequestState, fields: readonly Field[], port: HeaderPort): void {
  for (const [name, value] of fields) {
    const lower = name.toLowerCase()
    const present = port.getHeader(name)
    if (present !== undefined && String(present) !== state.fields.get(lower)) continue
    port.setHeader(name, value)
    state.fields.set(lower, value)
  }
}
