import type { Question, Row, Rows } from '../store.ts'
import type { Mirror } from './mirror.ts'

/** Questions after an outage, of which this process's memory refuses some checks, or lets them wait, whatever the store says. */
export interface Objected {
  /** What the store is asked: no check that is refused here charges, nor one that it keeps from charging. */
  readonly questions: readonly Question[]
  /** The store's rows, with those that were refused here in their places. */
  merge(answers: readonly Rows[]): readonly Rows[]
}

type Objections = ReadonlyMap<number, Row> | undefined

/** undefined: nothing is objected to, and the store decides alone. */
export function objectedTo(questions: readonly Question[], mirror: Mirror): Objected | undefined {
  const objections = questions.map((question) => mirror.objections(question))
  if (objections.every((found) => found === undefined)) return undefined
  return {
    questions: questions.map((question, i) => withoutTaking(question, objections[i])),
    merge: (answers) => answers.map((rows, i) => merged(rows, questions[i], objections[i])),
  }
}

/** A shadow policy's refusal keeps only itself from charging. */
function withoutTaking(question: Question, objections: Objections): Question {
  if (objections === undefined) return question
  const refusals = question.checks.map((_, i) => objections.get(i)?.allowed === false)
  if (!refusals.includes(true)) return question
  const refused = question.checks.some((check, i) => refusals[i] === true && !check.shadow)
  const others = question.checks.filter((_, i) => refusals[i] !== true)
  const nothing = others.length === 0 || (refused && question.charge === 'all-or-nothing')
  if (nothing) return { ...question, take: false }
  return { ...question, checks: others, others: refused ? 'refused' : question.others }
}

function merged(rows: Rows, question: Question | undefined, objections: Objections): Rows {
  if (question === undefined || objections === undefined) return rows
  const whole = rows.length === question.checks.length
  let at = 0
  const all = question.checks.flatMap((_, i) => {
    const objection = objections.get(i)
    const row = whole || objection?.allowed !== false ? rows[at++] : undefined
    if (objection === undefined || row === undefined) return objection ?? row ?? []
    return objection.allowed ? later(row, objection) : objection
  })
  const refused = [...objections.values()].some(({ allowed }) => !allowed)
  return refused ? Object.assign(all, { source: 'fallback' }) : all
}

/** Both let it wait: until both would let it pass. */
function later(row: Row, { waitUs }: Row): Row {
  return row.allowed ? { ...row, waitUs: Math.max(row.waitUs, waitUs) } : row
}
