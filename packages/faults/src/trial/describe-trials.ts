import { writeSync } from 'node:fs'
import { beforeAll, describe, expect, it } from '@jest/globals'
import type { Judgement } from './judge/judge.ts'
import { Judged } from './judged.ts'
import { runTrial } from './run-trial.ts'
import type { Framework } from './settings.ts'
import type { Trial } from './trial.ts'

/** A trial on three frameworks starts seven processes, and then takes its time. */
const timeoutMs = 60_000
/** How often a trial is run in all, if the machine did not let it be judged. */
const mostRuns = 4
/** How often trials are repeated, all together: on a machine that is busy throughout, repeating each would take hours. */
const mostRepeats = 12

/** Given by the environment that lets a test be skipped while it runs: `scripts/jest/judging.mjs`. */
declare global {
  var notJudged: ((test: string, reason: string) => void) | undefined
}

/** Each trial on each of its frameworks is a test, called by the trial's title and the framework. */
export function describeTrials(trials: readonly Trial[]): void {
  let repeats = mostRepeats
  for (const trial of trials) describeTrial(trial, () => repeats-- > 0)
}

function describeTrial(trial: Trial, mayRepeat: () => boolean): void {
  const { title } = trial
  describe(title, () => {
    let judgements: ReadonlyMap<Framework, Judgement>
    beforeAll(async () => {
      judgements = await judgedTrial(trial, mayRepeat)
      for (const [framework, { notJudged }] of judgements) {
        if (notJudged !== undefined) globalThis.notJudged?.(`${title} ${framework}`, notJudged)
      }
      if (process.env.SLUICE_TRIAL_FIGURES === '1') printFigures(title, judgements)
    }, mostRuns * timeoutMs)

    it.each(trial.frameworks)('%s', (framework) => {
      expect(judgements.get(framework)).toMatchObject({ notJudged: undefined, findings: [] })
    })
  })
}

async function judgedTrial(
  trial: Trial,
  mayRepeat: () => boolean,
): Promise<ReadonlyMap<Framework, Judgement>> {
  const judged = new Judged()
  for (let runs = 1; ; runs++) {
    judged.add(await runTrial(trial))
    if (judged.all || runs === mostRuns || !mayRepeat()) return judged.judgements
  }
}

function printFigures(title: string, judgements: ReadonlyMap<Framework, Judgement>): void {
  for (const [framework, { figures }] of judgements) {
    const wait = `longest wait ${Math.round(figures.longestWaitMs)} ms`
    const most = `at most ${figures.limits} limits`
    const exact = `exact after ${(figures.exactAfterMs / 1000).toFixed(1)} s`
    writeSync(1, `${title}, ${framework}: ${wait}, ${most}, ${exact}\n`)
  }
}
