import { stateKey } from '../key.ts'
import type { Asker, Question } from '../store.ts'
import type { Argument } from './script.ts'
import type { Pending } from './timed-calls.ts'
import { type CallParts, type Form, isAlike, pushCounts, pushForm, pushOwn, type ScriptCall } from './wire.ts'

/** A question on its way to the server, and who waits for its rows. */
export interface PendingQuestion extends Pending {
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
  batch: readonly PendingQuestion[],
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
