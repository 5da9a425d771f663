import { isRefused, isSpared, restOf, withRest } from '../all-or-nothing.ts'
import { copyOf } from '../line.ts'
import { isBlock } from '../row.ts'
import type { Change, InLine, LinePlace, Question, StoreRow, StoreRows } from '../store.ts'
import { isInFlight } from '../strategies/policy-parts.ts'
import type { Mirror } from './mirror.ts'

/** A question after an outage, of which this process's memory refuses some checks even if the store would allow them. */
export interface Objected {
  /** What the store is asked. A check that is refused here does not charge, nor does a check that the refusal keeps from charging. */
  readonly question: Question
  /** The store's rows, with this process's refusals in the places of the checks that it refused. */
  merge(rows: StoreRows): StoreRows
}

/** What the store is asked after an outage. undefined: this process objects to nothing, and the store decides alone. */
export function objectedTo(asked: Question, mirror: Mirror): Objected | undefined {
  const question = mirror.unobjected(asked)
  const less = question === asked ? undefined : { question, merge: (rows: StoreRows) => rows }
  const objections = mirror.objections(question)
  if (objections === undefined) return less
  // Only refusals matter yet: the waits of reservations are read once the store has answered, as others may have reserved by then.
  const refusals = objections.map(refusalOf)
  if (refusals.every((row) => row === undefined)) return less
  const rest = restOf(question, refusals)
  const isOnlyLook = rest.checks.length === 0 || rest.take !== question.take
  return {
    question: isOnlyLook ? { ...question, take: false, upTo: undefined } : rest,
    merge: (rows) => {
      const ofRest = isOnlyLook ? rows.filter((_, i) => refusals[i] === undefined) : rows
      return Object.assign(withRest(refusals, ofRest), { source: 'fallback' })
    },
  }
}

function refusalOf(objection: StoreRow | undefined): StoreRow | undefined {
  return objection?.allowed === false ? objection : undefined
}

/** The store's answer after this process's memory has objected to it at its arrival. */
export interface ObjectedAfter {
  readonly rows: StoreRows
  /** Changes for the store: what it took in vain is given back, and keys that are full here are raised to the wait that they have here. */
  readonly changes: readonly Change[]
}

/** Applies this process's objections to the store's answer. undefined: the answer is unchanged. */
export function objectedAfter(
  question: Question,
  answer: StoreRows,
  mirror: Mirror,
): ObjectedAfter | undefined {
  const { checks } = question
  const objections = mirror.objections(question)
  if (objections === undefined) return undefined
  const late = answer.map(({ receipt }, i) => (receipt === '' ? undefined : refusalOf(objections[i])))
  const isLate = late.some((row) => row !== undefined)
  const refused = isRefused(checks, late)
  const changes: Change[] = []
  const rows = answer.map((row, i) => {
    const [check, here] = [checks[i], objections[i]]
    if (check === undefined) return row
    const isTaken = row.receipt !== ''
    const isBack = isTaken && (late[i] !== undefined || (refused && isSpared(question, isInFlight(check))))
    if (isBack) changes.push({ check, receipt: row.receipt, byUnits: -check.cost })
    // The caller waits for the longer wait. If that is the one here, the store is told, as it expects the caller sooner.
    const waitUs = isLate || !row.allowed ? 0 : (here?.waitUs ?? 0)
    const isLonger = waitUs > row.waitUs
    // Nothing of a blocked key changes: the store would not hear of it.
    const isFull = here !== undefined && !isBlock(row.reason) && (!here.allowed || (isLonger && isTaken))
    const handOver = isFull ? mirror.handOver(check, here, question.maxWaitUs) : undefined
    if (handOver !== undefined) changes.push(handOver)
    if (isBack) return late[i] ?? { ...row, receipt: '', waitUs: 0 }
    return isLonger ? { ...row, waitUs } : row
  })
  return { rows: isLate ? Object.assign(rows, { source: 'fallback' }) : rows, changes }
}

/**
 * Merges the store's answer to callers in line with what this process knows. A place that the store has granted although this
 * process's memory knows it to be taken goes into `back`, and its caller waits on.
 */
export function heardInLine(
  callers: readonly InLine[],
  answer: readonly LinePlace[],
  mirror: Mirror,
): { readonly places: readonly LinePlace[]; readonly back: readonly Change[] } {
  const back: Change[] = []
  // Callers that stood in line here while the store was away stand in the store's line now.
  if (mirror.objects) mirror.line(callers.map((caller) => copyOf(caller, { leaves: true })))
  const places = answer.map((place, i) => {
    const caller = callers[i]
    if (caller === undefined) return place
    const { check, id } = caller
    if (caller.leaves) mirror.correct({ check, receipt: id, byUnits: -check.cost })
    if (!place.row.allowed) return place
    const question = { checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: false } as const
    const row = refusalOf(mirror.objections(question)?.[0])
    if (row !== undefined) {
      back.push({ check, receipt: id, byUnits: -check.cost })
      return { row, waits: true, source: 'fallback' }
    }
    mirror.correct({ check, receipt: id, byUnits: check.cost })
    return place
  })
  return { places, back }
}
