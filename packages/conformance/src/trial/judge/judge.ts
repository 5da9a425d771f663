import { admittedTooOften, mostLimits } from './admitted.ts'
import { wrongAnswers } from './answers.ts'
import type { Course } from './course.ts'
import { exactAfterMs, inexact } from './exact.ts'
import { unkept } from './load.ts'
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

/** What was wrong, each in a sentence; nothing where all is well. */
export interface Judgement {
  /** false: the load was not what it should have been, and nothing could be judged. */
  readonly kept: boolean
  readonly findings: readonly string[]
  readonly figures: Figures
}

/** Judges by what callers have seen, and what the servers say at the end. */
export function judge(course: Course): Judgement {
  const figures = {
    longestWaitMs: longestWaitMs(course),
    limits: mostLimits(course),
    exactAfterMs: exactAfterMs(course),
  }
  const notKept = unkept(course)
  if (notKept !== undefined) return { kept: false, findings: [notKept], figures }
  const findings = [
    ...wrongAnswers(course),
    ...slow(course),
    ...firstTimeRefused(course),
    ...refusedEarly(course),
    ...exhaustedAdmitted(course),
    ...admittedTooOften(course),
    ...inexact(course),
    ...unseen(course),
    ...misreported(course),
    ...course.ends.filter((end) => end !== undefined),
  ]
  return { kept: true, findings, figures }
}
