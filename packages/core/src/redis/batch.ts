import { stateKey } from '../key.ts'
import type { Asker, Check, Question } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import { instantText } from '../units.ts'
import type { Argument } from './connection.ts'
import type { ServerClock } from './server-clock.ts'
import type { Asking } from './timed-calls.ts'
import { type CallParts, type Form, isAlike, pushCounts, pushForm, pushOwn, type ScriptCall } from './wire.ts'

/** A question on its way to the server, and who waits for its rows. */
export interface Asked extends Asking {
  readonly question: Question
  /** Begins anew where the question is sent again. */
  askedUs: number
  readonly waiting: Asker
}

/** Of the first arguments of a call: until when it takes, who has longer, and where the runs and the own arguments begin. */
const head: readonly Argument[] = [0, '', 0, 0]
/** So many of the latest forms are looked at for one like the next question. */
const formsLookedAt = 16

/** The call that decides several questions; see decide.lua. The first two arguments are for the deadlines. */
export function batchCall(
  batch: readonly Asked[],
  parts: CallParts,
): ScriptCall & { readonly forms: readonly Form[] } {
  const keys: string[] = []
  const args: Argument[] = [...head]
  const forms: Form[] = []
  const runs: number[] = []
  const own: Argument[] = []
  const counts: string[] = []
  for (const { question } of batch) {
    let form = likeOf(forms, question)
    if (form === undefined) {
      form = pushForm(args, question, parts)
      forms.push(form)
    }
    const last = runs.length - 2
    if (runs[last] === form.at) runs[last + 1] = (runs[last + 1] ?? 0) + 1
    else runs.push(form.at, 1)
    for (const check of question.checks) keys.push(stateKey(parts.prefix, check))
    if (form.owns > 0) pushOwn(own, question.checks, parts.nextCall)
    if (form.counts) pushCounts(own, question.checks, { prefix: parts.prefix, keys: counts })
  }
  args[2] = args.length + 1
  for (const run of runs) args.push(run)
  args[3] = args.length + 1
  for (const each of own) args.push(each)
  for (let i = counts.length - 1; i >= 0; i--) keys.push(counts[i] ?? '')
  return { keys, args, forms }
}

function likeOf(forms: readonly Form[], question: Question): Form | undefined {
  for (let i = forms.length - 1; i >= 0 && i >= forms.length - formsLookedAt; i--) {
    const form = forms[i]
    if (form !== undefined && isAlike(form.question, question)) return form
  }
  return undefined
}

/** Writes into a call until when the server may take for each question: the deadline after it was asked, by the server's clock. */
export function setDeadlines(
  args: Argument[],
  batch: readonly Asked[],
  { clock, deadlineUs }: { clock: ServerClock; deadlineUs: number },
): void {
  let firstUs = Number.POSITIVE_INFINITY
  for (const { askedUs } of batch) firstUs = Math.min(firstUs, askedUs)
  args[0] = instantText(clock.earliest(firstUs + deadlineUs))
  if (batch.length > 1) args[1] = longerThan(firstUs, batch)
}

/** By how many whole milliseconds the questions were asked later than that: "COUNT:MS" for each run of equal ones. */
function longerThan(firstUs: number, batch: readonly Asked[]): string {
  let text = ''
  let count = 0
  let ms = 0
  for (const { askedUs } of batch) {
    const longerMs = Math.floor((askedUs - firstUs) / 1000)
    if (longerMs !== ms && count > 0) {
      text += `${count}:${ms} `
      count = 0
    }
    ms = longerMs
    count++
  }
  return ms === 0 && text === '' ? '' : `${text}${count}:${ms}`
}

/** How much work a question is for the server, in checks of the usual size: it also writes an entry for each unit, and notes. */
export function workOf({ checks }: Question): number {
  let work = checks.length
  for (const check of checks) work += moreWorkOf(check)
  return work
}

function moreWorkOf({ policy, cost, note }: Check): number {
  const { wants } = partsOf(policy).definition
  return wants === undefined ? 0 : Math.floor((cost + (note?.length ?? 0)) / 16)
}
