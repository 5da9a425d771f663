import type { Check, Question, StoreRow, StoreRows } from './store.ts'

/** What a look at a check has found. */
interface Found {
  readonly draft: Pick<StoreRow, 'allowed' | 'remaining'>
  /** The row of a key that is blocked. */
  readonly blocked: StoreRow | undefined
}

/** How many of a question's steps fit: a shadow policy lets all pass, and a block none. */
export function stepsThatFit(check: Check, { draft, blocked }: Found, steps: number): number {
  if (draft.allowed || check.shadow) return steps
  return blocked !== undefined ? 0 : Math.floor(draft.remaining / (check.cost / steps))
}

/** The same check for so many of its steps, and at least for one: of a refusal it says when one will pass. */
export function withSteps(check: Check, most: number, steps: number): Check {
  const cost = (check.cost / steps) * Math.max(1, most)
  return cost === check.cost ? check : { ...check, cost }
}

/** The question that takes all or nothing and has the same answer: for what was taken, or for one step. */
export function answeredAs(question: Question, rows: StoreRows): Question {
  const { checks, upTo } = question
  if (upTo === undefined) return question
  const answered = checks.map((check, i) => {
    const taken = rows[i]?.taken ?? 0
    return taken > 0 ? { ...check, cost: taken } : withSteps(check, 0, upTo)
  })
  return { ...question, checks: answered, upTo: undefined }
}
