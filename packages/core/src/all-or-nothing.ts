import type { Change, Check, Question, StoreRow } from './store.ts'

/** Rows in the places of a question's checks, as far as there are any. */
type RowsInPlaces = readonly (StoreRow | undefined)[]

/** true where a check with this answer refuses its whole question: a shadow policy refuses nobody. */
export function refuses({ shadow }: Check, { allowed }: Pick<StoreRow, 'allowed'>): boolean {
  return !allowed && !shadow
}

/** true where one of these rows refuses the question. */
export function isRefused(checks: readonly Check[], rows: RowsInPlaces): boolean {
  return checks.some((check, i) => {
    const row = rows[i]
    return row !== undefined && refuses(check, row)
  })
}

/** What a refused question does not take: all or nothing is nothing, and a place in flight is taken only by a request that is allowed. */
export function isSpared({ charge }: Pick<Question, 'charge'>, inFlight: boolean): boolean {
  return charge === 'all-or-nothing' || inFlight
}

/** A question without the checks that have a row already; where one of these refuses it, the others take no more than they may. */
export function restOf(question: Question, known: RowsInPlaces): Question {
  const refused = isRefused(question.checks, known)
  return {
    ...question,
    checks: question.checks.filter((_, i) => known[i] === undefined),
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
    const receipt = rows[i]?.receipt ?? ''
    return receipt === '' ? [] : { check, receipt, byUnits: -check.cost }
  })
}
