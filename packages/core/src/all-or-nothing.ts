import type { Change, Check, Question, StoreRow } from './store.ts'
import { withSteps } from './up-to.ts'

/** Rows in the places of a question's checks; undefined where there is none. */
export type RowsInPlaces = readonly (StoreRow | undefined)[]

/** Whether a check with this answer refuses its whole question: a shadow policy refuses nobody. */
export function refuses({ shadow }: Check, { allowed }: Pick<StoreRow, 'allowed'>): boolean {
  return !allowed && !shadow
}

export function isRefused(checks: readonly Check[], rows: RowsInPlaces): boolean {
  return checks.some((check, i) => {
    const row = rows[i]
    return row !== undefined && refuses(check, row)
  })
}

/** Whether a refused question leaves a check untaken: by all or nothing it takes nothing, and only an allowed request goes in flight. */
export function isSpared({ charge }: Pick<Question, 'charge'>, inFlight: boolean): boolean {
  return charge === 'all-or-nothing' || inFlight
}

/** A question without the checks that have a row already; where one of these refuses it, the others take no more than they may. */
export function restOf(question: Question, known: RowsInPlaces): Question {
  const refused = isRefused(question.checks, known)
  const { upTo } = question
  const rest = question.checks.filter((_, i) => known[i] === undefined)
  const forNone = upTo !== undefined && refused
  return {
    ...question,
    checks: forNone ? rest.map((check) => withSteps(check, 0, upTo)) : rest,
    upTo: forNone ? undefined : upTo,
    take: question.take && !(refused && isSpared(question, false)),
    others: refused ? 'refused' : question.others,
  }
}

/** All rows of a question: those that it had already, and in the other places those of the rest. */
export function withRest(known: RowsInPlaces, rest: readonly StoreRow[]): StoreRow[] {
  let at = 0
  return known.flatMap((row) => row ?? rest[at++] ?? [])
}

/** All that these rows took, as changes that give it back. */
export function givingBack(checks: readonly Check[], rows: RowsInPlaces): readonly Change[] {
  return checks.flatMap((check, i) => {
    const { receipt = '', taken: cost = check.cost } = rows[i] ?? {}
    if (receipt === '') return []
    return { check: cost === check.cost ? check : { ...check, cost }, receipt, byUnits: -cost }
  })
}
