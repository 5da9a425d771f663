import type { Change, InLine, LinePlace, Question, StoreRow, StoreRows } from '../store.ts'
import type { Mirror } from './mirror.ts'

/** A question after an outage, some checks of which this process's memory refuses even if the store would allow them. */
export interface Objected {
  /** What the store is asked: no check that is refused here charges, nor one that it keeps from charging. */
  readonly question: Question
  /** The store's rows, with those that were refused here in their places. */
  merge(rows: StoreRows): StoreRows
}

type Objections = ReadonlyMap<number, StoreRow>

/** undefined: nothing is objected to, and the store decides alone. */
export function objectedTo(question: Question, mirror: Mirror): Objected | undefined {
  const objections = refusalsOf(mirror.objections(question))
  if (objections === undefined) return undefined
  return {
    question: withoutTaking(question, objections),
    merge: (rows) => merged(rows, question, objections),
  }
}

/** How long it lets a reservation wait is asked when the store has answered, as others may have reserved by then. */
function refusalsOf(objections: Objections | undefined): Objections | undefined {
  const refuses = [...(objections?.values() ?? [])].some(({ allowed }) => !allowed)
  return refuses ? objections : undefined
}

/** What an answer becomes where this process's memory objects to it by the time it arrives. */
export interface ObjectedAfter {
  readonly rows: StoreRows
  /** What the store took in vain, and is to give back. */
  readonly back: readonly Change[]
}

/** undefined: the store's answer is unchanged. */
export function objectedAfter(
  question: Question,
  answer: StoreRows,
  mirror: Mirror,
): ObjectedAfter | undefined {
  const { checks, charge } = question
  const objections = mirror.objections(question)
  if (objections === undefined) return undefined
  const isLate = (i: number) => objections.get(i)?.allowed === false && (answer[i]?.receipt ?? '') !== ''
  if (!checks.some((_, i) => isLate(i)))
    return { rows: waitingForBoth(answer, { checks, objections, mirror }), back: [] }
  const all = charge === 'all-or-nothing' && checks.some(({ shadow }, i) => isLate(i) && !shadow)
  const back: Change[] = []
  const rows = answer.map((row, i) => {
    const check = checks[i]
    if (check === undefined || row.receipt === '' || !(all || isLate(i))) return row
    back.push({ check, receipt: row.receipt, byUnits: -check.cost })
    return isLate(i) ? (objections.get(i) ?? row) : { ...row, receipt: '', waitUs: 0 }
  })
  return { rows: Object.assign(rows, { source: 'fallback' }), back }
}

/**
 * What the store has answered to callers in line. A place that it has given, and that this process's memory knows to be taken, is to
 * be given back: its caller waits on.
 */
export function heardInLine(
  callers: readonly InLine[],
  answer: readonly LinePlace[],
  mirror: Mirror,
): { readonly places: readonly LinePlace[]; readonly back: readonly Change[] } {
  const back: Change[] = []
  // Callers that stood in line here while the store was away stand there now.
  if (mirror.objects) mirror.line(callers.map((caller) => ({ ...caller, leaves: true })))
  const places = answer.map((place, i) => {
    const caller = callers[i]
    if (caller === undefined) return place
    const { check, id } = caller
    if (caller.leaves) mirror.correct({ check, receipt: id, byUnits: -check.cost })
    if (!place.row.allowed) return place
    const question = { checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: false } as const
    const row = mirror.objects ? mirror.objections(question)?.get(0) : undefined
    if (row?.allowed === false) {
      back.push({ check, receipt: id, byUnits: -check.cost })
      return { row, waits: true, source: 'fallback' }
    }
    mirror.correct({ check, receipt: id, byUnits: check.cost })
    return place
  })
  return { places, back }
}

/** Both let it wait: until both would let it pass. The store takes it for one that passes sooner, and will let others pass too soon. */
function waitingForBoth(
  answer: StoreRows,
  { checks, objections, mirror }: { checks: Question['checks']; objections: Objections; mirror: Mirror },
): StoreRows {
  return answer.map((row, i) => {
    const check = checks[i]
    const waitUs = objections.get(i)?.waitUs ?? 0
    if (check === undefined || !row.allowed || waitUs <= row.waitUs) return row
    mirror.noticeKeys([check], waitUs)
    return { ...row, waitUs }
  })
}

/** A shadow policy's refusal keeps only itself from charging. */
function withoutTaking(question: Question, objections: Objections): Question {
  const refusals = question.checks.map((_, i) => objections.get(i)?.allowed === false)
  if (!refusals.includes(true)) return question
  const refused = question.checks.some((check, i) => refusals[i] === true && !check.shadow)
  const others = question.checks.filter((_, i) => refusals[i] !== true)
  const nothing = others.length === 0 || (refused && question.charge === 'all-or-nothing')
  if (nothing) return { ...question, take: false }
  return { ...question, checks: others, others: refused ? 'refused' : question.others }
}

function merged(rows: StoreRows, question: Question, objections: Objections): StoreRows {
  const whole = rows.length === question.checks.length
  let at = 0
  const isRefused = (i: number) => objections.get(i)?.allowed === false
  const all = question.checks.flatMap((_, i) => {
    const row = whole || !isRefused(i) ? rows[at++] : undefined
    return (isRefused(i) ? objections.get(i) : row) ?? []
  })
  return Object.assign(all, { source: 'fallback' })
}
