import { describe, expect, test } from '@jest/globals'
import { type AdaptiveLimitOptions, adaptiveLimit } from '@sluice/adaptive'
import {
  bestOf,
  FixedLimit,
  fixedRuns,
  goodIn,
  requestsOf,
  type Scenario,
  scenarios,
  simulate,
} from '@sluice/adaptive/simulation'

/** An answer after more than this is worth nothing: twelve and a half times what a worker takes. */
const goalMs = 250

const algorithms: readonly (readonly [string, AdaptiveLimitOptions])[] = [
  ['gradient', {}],
  ['aimd', { algorithm: 'aimd', timeout: `${goalMs / 2}ms` }],
]

const fixed = new Map(scenarios.map((scenario) => [scenario, fixedRuns(scenario, { goalMs })]))

/** Of each third of a run alone, against the fixed limit that is best for that third: what may be below nine tenths. */
const slow = ['slow dependency, 30', 'overload and slow dependency, 30']

describe.each(algorithms)('with %s', (_name, options) => {
  test.each(scenarios)(
    '$name: at least 90 % of the answers in time that the best fixed limit has',
    (scenario) => {
      const runs = fixed.get(scenario)
      if (runs === undefined) throw new Error('every scenario has been run')
      const run = simulate(scenario, (clock) => adaptiveLimit({ ...options, clock }), { goalMs })
      const share = (from: number, until: number) =>
        goodIn(run, from, until) / goodIn(bestOf(runs, from, until).run, from, until)
      expect(share(0, 90)).toBeGreaterThanOrEqual(0.9)
      for (const from of [0, 30, 60]) {
        const least = slow.includes(`${scenario.name}, ${from}`) ? 0.8 : 0.9
        expect(share(from, from + 30)).toBeGreaterThanOrEqual(least)
      }
    },
  )
})

/** Of Erlang: the share of requests that find all places taken, where nobody queues. */
function lossOf(places: number, offered: number): number {
  let loss = 1
  for (let taken = 1; taken <= places; taken++) loss = (offered * loss) / (taken + offered * loss)
  return loss
}

// biome-ignore format: a table
const offered = [
  // places, requests in a second
  [ 1,   50],
  [10,  400],
  [20,  800],
  [20, 1500],
] as const

test.each(offered)(
  'the model loses what the formula of Erlang says: %d places, %d requests/s',
  (places, load) => {
    const scenario: Scenario = {
      name: 'no queue',
      seconds: 200,
      workers: () => places,
      serviceMs: () => 20,
      load: () => load,
    }
    const { seconds } = simulate(scenario, () => new FixedLimit(places), { goalMs })
    const refused = seconds.reduce((sum, each) => sum + each.refused, 0)
    const all = seconds.reduce((sum, { good, late }) => sum + good + late, refused)
    const loss = lossOf(places, load * 0.02)
    expect(all / 200 / load).toBeCloseTo(1, 1)
    expect(Math.abs(refused / all - loss)).toBeLessThan(0.01)
  },
)

test('the same seed is the same run, and another one is another', () => {
  const [scenario] = scenarios
  if (scenario === undefined) throw new Error('there is no scenario')
  const run = (seed: number) =>
    simulate(scenario, () => new FixedLimit(20), { goalMs, requests: requestsOf(scenario, seed) })
  expect(run(1)).toEqual(run(1))
  expect(run(2)).not.toEqual(run(1))
})
