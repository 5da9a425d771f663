import { writeSync } from 'node:fs'
import { beforeAll, describe, expect, it } from '@jest/globals'
import type { Judgement } from './judge/judge.ts'
import { runTrial } from './run-trial.ts'
import type { Framework } from './settings.ts'
import type { Trial } from './trial.ts'

/** A trial on three frameworks starts seven processes, and then takes its time. */
const timeoutMs = 60_000
/** One whose load could not be kept has tried nothing: it is run again, so often in all. What was judged stands. */
const mostRuns = 4

/** Each trial on each of its frameworks is a test, called by the trial's title and the framework. */
export function describeTrials(trials: readonly Trial[]): void {
  for (const trial of trials) describeTrial(trial)
}

function describeTrial(trial: Trial): void {
  const { title, skipped } = trial
  const describeIt = skipped === undefined ? describe : describe.skip
  describeIt(skipped === undefined ? title : `${title} (${skipped})`, () => {
    let judgements: ReadonlyMap<Framework, Judgement>
    beforeAll(async () => {
      judgements = await runKept(trial)
      if (process.env.SLUICE_TRIAL_FIGURES === '1') tell(title, judgements)
    }, mostRuns * timeoutMs)

    it.each(trial.frameworks)('%s', (framework) => {
      expect(judgements.get(framework)?.findings).toEqual([])
    })
  })
}

async function runKept(trial: Trial): Promise<ReadonlyMap<Framework, Judgement>> {
  for (let runs = 1; ; runs++) {
    const judgements = await runTrial(trial)
    if (runs === mostRuns || [...judgements.values()].every(({ kept }) => kept)) return judgements
  }
}

function tell(title: string, judgements: ReadonlyMap<Framework, Judgement>): void {
  for (const [framework, { figures }] of judgements) {
    const wait = `longest wait ${Math.round(figures.longestWaitMs)} ms`
    const most = `at most ${figures.limits} limits`
    const exact = `exact after ${(figures.exactAfterMs / 1000).toFixed(1)} s`
    writeSync(1, `${title}, ${framework}: ${wait}, ${most}, ${exact}\n`)
  }
}
