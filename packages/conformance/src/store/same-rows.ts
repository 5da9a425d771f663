import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from '../runner.ts'
import { stepsBothWays, stepsOn } from './clock-steps.ts'
import { crowdTraces, playCrowds } from './crowd-traces.ts'
import { lineHistories, playLine } from './line-cases.ts'
import { plainCrowds, playPlainCrowds } from './plain-crowds.ts'
import { playQuestions, questionTraces } from './question-traces.ts'
import { propertyTimeoutMs, runs } from './runs.ts'
import { blockingSamples } from './samples/blocking.ts'
import { busyRates } from './samples/gcra.ts'
import { allSamples, anySample } from './samples/list.ts'
import type { Sample } from './samples/sample.ts'
import { playTrace } from './trace-run.ts'
import { busyTraces, type Trace, type TraceOptions, traces } from './traces.ts'
import type { StoreFactory, StoreUnderTest } from './under-test.ts'

/** Histories that two stores must answer alike, in every field of every row. */
export interface Comparison {
  readonly title: string
  run(one: StoreFactory, other: StoreUnderTest): Promise<void>
}

/**
 * On a store of its own, as memory makes one in no time: what an earlier history has left there (how late it was, how full it is)
 * would let this one pass or fail.
 */
async function playAlone<T>(
  open: StoreFactory,
  history: T,
  play: (subject: StoreUnderTest, history: T) => Promise<unknown>,
): Promise<unknown> {
  const subject = await open()
  const played = await play(subject, history)
  await subject.close()
  return played
}

export function compare<T>(
  title: string,
  histories: fc.Arbitrary<T>,
  play: (subject: StoreUnderTest, history: T) => Promise<unknown>,
  times = 150,
): Comparison {
  return {
    title,
    run: (one, other) =>
      fc.assert(
        fc.asyncProperty(histories, async (history) => {
          const expected = await playAlone(one, history, play)
          expect(await play(other, history)).toEqual(expected)
        }),
        runs(times, other),
      ),
  }
}

export async function sights(subject: StoreUnderTest, trace: Trace): Promise<unknown> {
  const played = await playTrace(subject, trace)
  return played.map(({ atUs, did, saw }) => ({ atUs, did, saw }))
}

function eachStrategy(options: TraceOptions): Comparison[] {
  return allSamples.map(({ strategy, samples }) => compare(strategy, traces(samples, options), sights))
}

/** Charges of which most are given back, on a key whose numbers change every other call. */
function refundedTraces(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Trace> {
  return traces(samples, {
    acts: ['check', 'settle'],
    clock: stepsOn,
    keys: 1,
    others: 'often',
    maxSteps: 10,
  })
}

/** Of a policy that blocks and of one that does not, about as often. */
const blockingOrNot = fc.oneof(blockingSamples(anySample), anySample)

/** Policies that block the keys that they refuse, alone, beside others, and in crowds. */
function blocking(others: boolean): Comparison[] {
  const acts = [...common, 'block', 'unblock', 'reset'] as const
  const alone = traces(blockingSamples(anySample), { acts, clock: stepsOn, keys: 2, others })
  return [
    compare('policies that block', alone, sights, 800),
    compare('several policies that block', questionTraces(blockingOrNot, { others }), playQuestions, 400),
    compare(
      'several policies that block, whose callers would wait',
      questionTraces(
        blockingOrNot.filter(({ debtUs = 0 }) => debtUs > 0),
        { patience: true, others },
      ),
      playQuestions,
      400,
    ),
    compare('crowds under policies that block', crowdTraces(blockingOrNot, { others }), playCrowds, 800),
  ]
}

/** Policies of a limit of 0, or whose other numbers have one. */
const refusesAll = anySample.filter(({ policy, other }) => policy.limit === 0 || other.limit === 0)

const common = [
  'check',
  'part',
  'peek',
  'reserve',
  'settle',
  'renew',
  'penalize',
  'reward',
  'set',
  'raise',
  'inspect',
] as const

/** Whatever happens to two keys, under two sets of numbers; and to several policies at once. */
export const onwards: readonly Comparison[] = [
  ...eachStrategy({
    acts: [...common, 'block', 'unblock', 'reset'],
    clock: stepsOn,
    keys: 2,
  }),
  compare('several policies', questionTraces(anySample), playQuestions),
  compare(
    'several policies under changing numbers',
    questionTraces(anySample, { others: true }),
    playQuestions,
    400,
  ),
  compare(
    'several policies whose callers would wait',
    questionTraces(
      anySample.filter(({ debtUs = 0 }) => debtUs > 0),
      { patience: true, others: true },
    ),
    playQuestions,
    800,
  ),
  compare('crowds, of whom many ask at once', crowdTraces(anySample), playCrowds, 600),
  compare('callers in line', lineHistories({ all: true }), playLine, 600),
  compare(
    'policies that refuse all',
    traces(refusesAll, { acts: [...common, 'block', 'unblock', 'reset'], clock: stepsOn, keys: 2 }),
    sights,
    400,
  ),
  compare('crowds under policies that refuse all', crowdTraces(refusesAll), playCrowds, 400),
  ...allSamples.map(({ strategy, samples }) =>
    compare(`${strategy}: refunds, and then other numbers`, refundedTraces(samples), sights, 800),
  ),
  ...blocking(true),
]

/** The same, but that a key's numbers never change. */
export const unchanged: readonly Comparison[] = [
  ...eachStrategy({
    acts: [...common, 'block', 'unblock', 'reset'],
    clock: stepsOn,
    keys: 2,
    others: false,
  }),
  compare('several policies', questionTraces(anySample), playQuestions),
  compare('crowds, of whom many ask at once', crowdTraces(anySample, { others: false }), playCrowds, 600),
  ...blocking(false),
]

/** Whatever happens to one key while the clock steps back now and then. */
export const bothWays: readonly Comparison[] = [
  ...eachStrategy({
    acts: common,
    clock: stepsBothWays,
    keys: 1,
    others: false,
  }),
  compare('callers in line', lineHistories({ back: true }), playLine, 600),
]

/** Keys of `gcra` that are asked for by one unit after the other, many times at one instant, so that they stay in debt. */
export const busy: readonly Comparison[] = [compare('gcra', busyTraces(busyRates), sights, 1500)]

/** One limiter's questions at once, many of them for one key. */
export const crowded: readonly Comparison[] = [
  compare('any policy', plainCrowds(anySample), playPlainCrowds, 600),
  ...allSamples
    .filter(({ strategy }) => strategy === 'fixedWindow' || strategy === 'slidingWindowCounter')
    .map(({ strategy, samples }) => compare(strategy, plainCrowds(samples), playPlainCrowds, 400)),
  compare('gcra', plainCrowds(busyRates), playPlainCrowds, 400),
]

/** Two stores answer every history alike: `one` is memory. */
export function describeSameRows(
  name: string,
  [one, other]: readonly [StoreFactory, StoreFactory],
  comparisons: readonly Comparison[],
): void {
  describe(name, () => {
    let subject: StoreUnderTest
    beforeAll(async () => {
      subject = await other()
    })
    afterAll(() => subject.close())
    it.each(comparisons)('$title', ({ run }) => run(one, subject), propertyTimeoutMs)
  })
}
