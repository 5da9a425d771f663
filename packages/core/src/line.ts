import { makeRow } from './row.ts'
import type { Check, InLine, LinePlace, StoreRow } from './store.ts'
import type { LineCaller, LineOutcome } from './strategies/definition.ts'

/** Callers of one key. */
export interface LineOf {
  readonly check: Check
  readonly callers: InLine[]
}

/** The numbers of a line once its callers have been served. */
export interface LineNumbers extends Pick<StoreRow, 'remaining' | 'retryAfterUs' | 'resetAfterUs'> {
  /** 0: the key is not blocked. */
  readonly blockedUs: number
  /** One for each caller; none where the key is blocked. */
  readonly outcomes: readonly LineOutcome[]
}

/** The callers in their order; those of one key that follow each other form a line. */
export function sameLines(callers: readonly InLine[]): readonly LineOf[] {
  const lines: LineOf[] = []
  for (const caller of callers) {
    const { check } = caller
    const last = lines.at(-1)
    if (last?.check.key === check.key && last.check.id === check.id && last.check.policy === check.policy)
      last.callers.push(caller)
    else lines.push({ check, callers: [caller] })
  }
  return lines
}

/** A copy of a caller. A spread alone would leave out how long it has waited, which is computed when it is read. */
export function copyOf(caller: InLine, change: Partial<InLine>): InLine {
  return { ...caller, waitedUs: caller.waitedUs, ...change }
}

/** Callers as strategies know them. */
export function lineCallers(callers: readonly InLine[]): readonly LineCaller[] {
  return callers.map(({ check, id, priority, waitedUs, leaves, stands = false }) => {
    return { id, units: check.cost, priority, waitedUs, leaves, stands }
  })
}

/** What the numbers of a line mean for each of its callers. */
export function linePlacesOf({ check, callers }: LineOf, numbers: LineNumbers): readonly LinePlace[] {
  const facts = { ...numbers, limit: check.policy.limit }
  const refused = makeRow(facts, numbers.blockedUs > 0 ? 'blocked' : 'limited', '')
  return callers.map(({ id }, nth) => {
    const outcome = numbers.outcomes[nth]
    if (outcome !== 'holds') return { row: refused, waits: outcome === 'waits' }
    return { row: makeRow({ ...facts, retryAfterUs: 0 }, null, id), waits: false }
  })
}
