import type { Check, Question, StoreRows } from './store.ts'

/** How many of a question's steps fit into the remaining units of a check. 0 where it costs nothing: then a block alone refuses it. */
export function stepsIn(remaining: number, { cost }: Check, steps: number): number {
  return cost === 0 ? 0 : Math.floor(remaining / (cost / steps))
}

/** The check for at most `most` of its steps, and at least for one: a refusal then says when one step will pass. */
export function withSteps(check: Check, most: number, steps: number): Check {
  const cost = (check.cost / steps) * Math.max(1, most)
  return cost === check.cost ? check : { ...check, cost }
}

/** Reduces a question with `upTo` to the steps that fit into `most` units of each check that binds, or to one. Leaves others unchanged. */
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

/** The question for all or nothing that has the same answer: for what was taken, or for one step. */
export function answeredAs(question: Question, rows: StoreRows): Question {
  const { checks, upTo } = question
  if (upTo === undefined) return question
  const answered = checks.map((check, i) => {
    const taken = rows[i]?.taken ?? 0
    return taken > 0 ? { ...check, cost: taken } : withSteps(check, 0, upTo)
  })
  return { ...question, checks: answered, upTo: undefined }
}
