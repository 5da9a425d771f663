import type { Decision, RefusedVerdict, Verdict } from '../decision.ts'
import type { Rows, Summary } from '../store.ts'
import { msUp } from '../units.ts'
import { bindingOf, longestWaitUs, shadowRefusalOf } from './binding.ts'
import { type Answer, asDecision, type NamedCheck, type Origin, unlimited } from './decided.ts'
import { setMember } from './members.ts'
import { waitUsOf } from './reserving.ts'
import { foldSummaries, summaryOf } from './summary.ts'

function verdictOf({ check, row }: Answer): Verdict {
  const { name: policy, asked: key, cost } = check
  const { limit, remaining, reason } = row
  const resetAfterMs = msUp(row.resetAfterUs)
  if (reason === null)
    return { allowed: true, policy, key, cost, limit, remaining, resetAfterMs, reason, retryAfterMs: null }
  const retryAfterMs = row.retryAfterUs < 0 ? null : msUp(row.retryAfterUs)
  return { allowed: false, policy, key, cost, limit, remaining, resetAfterMs, reason, retryAfterMs }
}

/** The decision that rows amount to. */
export function decisionOf(origin: Origin, checks: readonly NamedCheck[], rows: Rows): Decision {
  const source = rows.source ?? origin.storeName
  const [check] = checks
  const [row] = rows
  if (check !== undefined && row !== undefined && checks.length === 1 && !check.shadow) {
    const answers = [{ check, row }]
    const verdict = verdictOf({ check, row })
    const verdicts = { [check.name]: verdict }
    return asDecision(origin, verdict, {
      answers,
      verdicts,
      summary: rows.summary ?? summaryOf(row),
      source,
      shadow: null,
      waitMs: msUp(row.waitUs),
    })
  }
  return foldedDecision(origin, pairUp(checks, rows), {
    summary: rows.summary,
    source,
    waitMs: msUp(waitUsOf(checks, rows)),
  })
}

function pairUp(checks: readonly NamedCheck[], rows: Rows): Answer[] {
  const answers: Answer[] = []
  for (const [i, check] of checks.entries()) {
    const row = rows[i]
    if (row !== undefined) answers.push({ check, row })
  }
  return answers
}

function foldedDecision(
  origin: Origin,
  answers: readonly Answer[],
  { summary, source, waitMs }: { summary: Summary | undefined; source: string; waitMs: number },
): Decision {
  const verdicts: { [name: string]: Verdict } = {}
  const summaries: Summary[] = []
  for (const answer of answers) {
    setMember(verdicts, answer.check.name, verdictOf(answer))
    if (!answer.check.shadow) summaries.push(summaryOf(answer.row))
  }
  const binding = bindingOf(answers)
  if (binding === undefined) return unlimited(origin)
  // bindingOf and shadowRefusalOf answer one of the answers that they are given
  const bound = verdictOf(binding as Answer)
  const shadowed = shadowRefusalOf(answers)
  const shadow = shadowed === undefined ? null : asRefusal(verdictOf(shadowed as Answer))
  const verdict = binding.check.shadow ? admitted(bound) : bound
  if (summaries.length === 0) summaries.push(summaryOf({ ...binding.row, allowed: true }))
  return asDecision(origin, withLongestWait(verdict, answers), {
    answers,
    verdicts,
    summary: summary ?? foldSummaries(summaries),
    source,
    shadow,
    waitMs,
  })
}

/** Refused: how long until the same request would pass every policy, which may be longer than the binding verdict's wait. */
function withLongestWait(verdict: Verdict, answers: readonly Answer[]): Verdict {
  if (verdict.allowed || verdict.retryAfterMs === null) return verdict
  const waitUs = longestWaitUs(answers)
  return waitUs < 0 ? { ...verdict, retryAfterMs: null } : { ...verdict, retryAfterMs: msUp(waitUs) }
}

function asRefusal(verdict: Verdict): RefusedVerdict | null {
  return verdict.allowed ? null : verdict
}

/** A shadow policy's verdict as a decision reads it where no other policy applies. */
function admitted(verdict: Verdict): Verdict {
  return verdict.allowed ? verdict : { ...verdict, allowed: true, reason: null, retryAfterMs: null }
}
