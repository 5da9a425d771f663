import type { Check } from '@sluice/core'
import fc from 'fast-check'
import { expect } from '../runner.ts'
import { ask } from './asking.ts'
import type { StoreCase } from './case.ts'
import { type Asked, QuestionRun, type QuestionTrace, questionTraces } from './question-traces.ts'
import { runs } from './runs.ts'
import { anySample } from './samples/list.ts'
import type { StoreUnderTest } from './under-test.ts'

/** A bucket that starts empty forgets a key that is idle for long, and another policy's wait may be longer than that. */
const remembering = anySample.filter(({ rules }) => rules.length > 0)

/** Its definition is no part of a policy's face. */
function isInFlight(check: Check | undefined): boolean {
  return check !== undefined && Reflect.get(check.policy, 'definition').inFlight === true
}

/** All or nothing: what a binding policy refuses nobody pays. Every level: who allows is paid, but a refused request is not in flight. */
function chargesAsAsked({ checks, rows, charge, upTo }: Asked): void {
  if (upTo !== undefined) {
    takesAsManyOfAll({ checks, rows, charge, upTo })
    return
  }
  const refused = rows.some(({ allowed }, i) => !allowed && checks[i]?.shadow === false)
  for (const [i, { allowed, receipt }] of rows.entries()) {
    const alone = charge === 'every-level' && !isInFlight(checks[i])
    const pays = allowed && (checks[i]?.cost ?? 0) > 0 && (alone || !refused)
    expect({ i, taken: receipt !== '' }).toEqual({ i, taken: pays })
  }
}

/** As many units of each policy that binds; a shadow policy has as many or none. */
function takesAsManyOfAll({ checks, rows, upTo = 0 }: Asked): void {
  const amounts = new Set<number>()
  for (const [i, { allowed, receipt, taken = 0 }] of rows.entries()) {
    if (checks[i]?.cost === 0) continue
    expect({ i, taken: receipt !== '' }).toEqual({ i, taken: taken > 0 })
    if (taken > 0 || checks[i]?.shadow === false) amounts.add(taken)
    if (taken > 0) expect({ i, allowed }).toEqual({ i, allowed: true })
  }
  expect(amounts.size).toBeLessThanOrEqual(1)
  expect(Math.max(0, ...amounts)).toBeLessThanOrEqual(upTo)
}

/** How long the same question would be refused: -1 for ever. */
function longestWaitUs({ checks, rows }: Asked): number {
  const waits = rows.filter((_, i) => checks[i]?.shadow === false).map(({ retryAfterUs }) => retryAfterUs)
  return waits.includes(-1) ? -1 : Math.max(0, ...waits)
}

async function questionsKeepTheirWord(subject: StoreUnderTest, trace: QuestionTrace): Promise<void> {
  const run = new QuestionRun(subject, trace)
  for (const step of trace.steps) {
    const asked = await run.step(step)
    if (asked === undefined || step.act.act !== 'ask' || !step.act.take) continue
    chargesAsAsked(asked)
    const waitUs = longestWaitUs(asked)
    const blocked = asked.rows.some(({ reason }) => reason === 'blocked')
    if (waitUs <= 0 || blocked) continue
    // A refusal speaks of one unit.
    const checks = asked.checks.map((check) =>
      asked.upTo === undefined ? check : { ...check, cost: Math.min(1, check.cost) },
    )
    const passes = async (afterUs: number) => {
      await subject.setClock(run.clock.nowUs + afterUs)
      const rows = await ask(subject.store, checks, { take: false, charge: asked.charge })
      return rows.every(({ allowed }, i) => allowed || asked.checks[i]?.shadow)
    }
    expect({ waitUs, early: await passes(waitUs - 1) }).toEqual({ waitUs, early: false })
    expect({ waitUs, due: await passes(waitUs) }).toEqual({ waitUs, due: true })
  }
}

export const questionCases: readonly StoreCase[] = [
  {
    about: 'several policies',
    title: 'all or nothing, or each level by itself; the longest of their waits lets the same request in',
    run: (subject) =>
      fc.assert(
        fc.asyncProperty(questionTraces(remembering), (trace) => questionsKeepTheirWord(subject, trace)),
        runs(200, subject),
      ),
  },
]
