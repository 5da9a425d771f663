import type { Check, Question, StoreRows } from './store.ts'

/** How many of a question's steps a check has room for, of which so many units remain; what costs nothing is refused by a block alone. */
export function stepsIn(remaining: number, { cost }: Check, steps: number): number {
  return cost === 0 ? 0 : Math.floor(remaining / (cost / steps))
}

/** The same check for so many of its steps, and at least for one: of a refusal it says when one will pass. */
export function withSteps(check: Check, most: number, steps: number): Check {
  const cost = (check.cost / steps) * Math.max(1, most)
  return cost === check.cost ? check : { ...check, cost }
}

/** The same question for no more than `most` says to fit of each check that binds, or for one step; any other question as it is. */
export function fitting(question: Question, most: (check: Check) => number): Question {
  const { checks, upTo: steps } = question
  if (steps === undefined) return question
  let least = steps
  for (const check of checks) {
    if (check.cost === 0 || check.shadow) continue
    least = Math.min(least, stepsIn(most(check), check, steps))
  }
  if (least === steps) return question
  return {
    ...question,
    checks: checks.map((check) => withSteps(check, least, steps)),
    upTo: Math.max(1, least),
  }
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
