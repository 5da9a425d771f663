import type { Question } from '@sluice/core'
import { garbled } from '../errors.ts'
import { listOf, type ReadSheet, type Sheet, wholeOf } from './sheet.ts'

const others = [undefined, 'unknown', 'refused'] as const

/** Whether a question is like most: it has one check, and takes. Such a question is written as its check alone. */
function isPlain({ checks, charge, maxWaitUs, take, others, upTo }: Question): boolean {
  const isWhole = others === undefined && upTo === undefined
  return checks.length === 1 && charge === 'all-or-nothing' && maxWaitUs === 0 && take && isWhole
}

/** The first member of any other question. A check begins with a number of at least 0. */
export const anyQuestion = -1

export function writeQuestion(question: Question, sheet: Sheet): readonly unknown[] {
  const { checks, charge, maxWaitUs, take } = question
  const [only] = checks
  if (only !== undefined && isPlain(question)) return sheet.write(only)
  return [
    anyQuestion,
    checks.map((check) => sheet.write(check)),
    charge === 'every-level',
    maxWaitUs,
    take,
    others.indexOf(question.others),
    question.upTo ?? 0,
  ]
}

export function readQuestion(written: readonly unknown[], sheet: ReadSheet): Question {
  if (written[0] !== anyQuestion)
    return { checks: [sheet.check(written)], charge: 'all-or-nothing', maxWaitUs: 0, take: true }
  const [, checks, everyLevel, maxWaitUs, take, other, steps] = written
  const given = wholeOf(other, 'question')
  if (given >= others.length) throw garbled('question')
  return {
    checks: listOf(checks, 'question').map((check) => sheet.check(check)),
    charge: everyLevel === true ? 'every-level' : 'all-or-nothing',
    maxWaitUs: wholeOf(maxWaitUs, 'wait'),
    take: take === true,
    others: others[given],
    upTo: wholeOf(steps, 'steps') || undefined,
  }
}
