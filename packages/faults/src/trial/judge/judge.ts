import { admittedTooOften, mostLimits } from './admitted.ts'
import { wrongAnswers } from './answers.ts'
import type { Course } from './course.ts'
import { exactAfterMs, inexact, onlyMissedDeadlines } from './exact.ts'
import { unsteady } from './load.ts'
import { asMeasured, deadlineMs, machineAtFault } from './machine.ts'
import { misreported, unseen } from './seen.ts'
import { longestWaitMs, slow } from './waits.ts'
import { exhaustedAdmitted, firstTimeRefused, refusedEarly } from './who.ts'

/** What a trial has measured, for one framework. */
interface Figures {
  readonly longestWaitMs: number
  /** How many limits one key got in a window. */
  readonly limits: number
  readonly exactAfterMs: number
}

export interface Judgement {
  /** Why the machine alone kept the trial from being judged; undefined where it was judged. */
  readonly notJudged: string | undefined
  /** What was wrong, each in a sentence; nothing where all is well. */
  readonly findings: readonly string[]
  readonly figures: Figures
}

/** Judges a trial by what callers have seen, and by what the servers report at the end. */
export function judge(course: Course): Judgement {
  const figures = {
    longestWaitMs: longestWaitMs(course),
    limits: mostLimits(course),
    exactAfterMs: exactAfterMs(course),
  }
  const certain = whateverTheMachine(course)
  const load = unsteady(course)
  const findings =
    load === undefined ? everything(course) : [...certain, `${load.what}; ${asMeasured(course)}`]
  const mayBeItsFault = findings.length > 0 && certain.length === 0
  const fault = mayBeItsFault ? machineAtFault(course, load?.stallMs ?? stallOf(course, findings)) : undefined
  if (fault === undefined) return { notJudged: undefined, findings, figures }
  return { notJudged: `${fault}; ${load?.what ?? findings[0]}`, findings: [], figures }
}

/** How long a stall delays a check past its deadline: it passes a server, a proxy and Redis, two of which may wait for a core in turn. */
function stallOf(course: Course, findings: readonly string[]): number {
  const others = findings.length - inexact(course).length
  return others === 0 && onlyMissedDeadlines(course) ? deadlineMs / 2 : deadlineMs
}

/** Findings that no machine can cause, however busy it is. */
function whateverTheMachine(course: Course): readonly string[] {
  const exchanges = course.exchanges.filter(({ status }) => status !== 0)
  const ends = course.ends.flatMap((end) => (end === undefined || end.late ? [] : [end.what]))
  return [...wrongAnswers({ ...course, exchanges }), ...ends]
}

function everything(course: Course): readonly string[] {
  return [
    ...wrongAnswers(course),
    ...slow(course),
    ...firstTimeRefused(course),
    ...refusedEarly(course),
    ...exhaustedAdmitted(course),
    ...admittedTooOften(course),
    ...inexact(course),
    ...unseen(course),
    ...misreported(course),
    ...course.ends.flatMap((end) => (end === undefined ? [] : [end.what])),
  ]
}
