import { describe, expect, it } from '@jest/globals'
import * as strategies from '@sluice/core/strategies'
import { readLimitsText } from '@sluice/limits'
import { policyCandidate } from '../../../src/compare/policy-candidate.ts'
import { type PolicyData, policyData } from '../../../src/compare/policy-text.ts'
import { replay } from '../../../src/compare/replay/replay.ts'
import { type Kept, keptRequests } from '../../../src/compare/suggest/kept.ts'
import { suggest } from '../../../src/compare/suggest/suggest.ts'
import { trafficOf } from '../../../src/compare/traffic/traffic.ts'
import { every, keptOf, type Sent } from './scene.ts'

function made(text: string, key?: string): readonly Sent[] {
  return [...trafficOf(text).arrivals()].map(({ atUs, client }): Sent => [atUs / 1e6, client, key ?? client])
}

/** Ten clients for five minutes, each with a rate of its own, and one that sends ten times as much as all of them. */
function crowd(key?: string): Kept {
  const scraper = made('poisson:rate=20,clients=1,duration=1m,seed=4').map(
    ([second]): Sent => [second, 'scraper', key ?? 'scraper'],
  )
  return keptOf([...made('poisson:rate=2,clients=10,zipf=1,duration=5m,seed=3', key), ...scraper])
}

/** By the comparison's own replay: how many clients of the crowd a policy refuses. */
async function refusedBy(data: PolicyData, kept: Kept): Promise<number> {
  const contender = { keyedBy: 'ip', candidate: policyCandidate(data), tighter: null, looser: null }
  const { results } = await replay(keptRequests(kept), [contender])
  return results[0]?.refusedClients.filter(({ client }) => client !== 'scraper').length ?? Number.NaN
}

/** The same policy with each of its numbers a step tighter. */
function tighterThan(data: PolicyData): readonly PolicyData[] {
  const amounts = ['limit', 'count', 'capacity', 'burst'].filter(
    (name) => Number(data[name]) > (name === 'burst' ? 0 : 1),
  )
  const less = amounts.map((name) => ({ ...data, [name]: Number(data[name]) - 1 }))
  const { interval } = data
  return interval === undefined ? less : [{ ...data, interval: Number.parseInt(String(interval), 10) + 1 }]
}

const named = [
  'slidingWindowLog:7/1m',
  'slidingWindowCounter:7/10s',
  'fixedWindow:7/1m,start=clock',
  'attributedWindow:7/1m',
  'gcra:7/1m',
  'tokenBucket:7/1s,capacity=7',
  'leakyBucket:7/1m,capacity=7',
] as const

describe('suggested numbers', () => {
  it.each([...named, 'uniform:7s'])('refuse few enough, and tighter ones too many: %s', async (text) => {
    const kept = crowd()
    const aim = { mostRefused: 0.2, wellBehavedShare: 0.9, policies: [policyData(text)] }
    const { found, wellBehaved } = await suggest(kept, aim)
    expect(wellBehaved.clients).toBe(10)
    const data = policyData(found[0]?.text ?? '')
    expect(await refusedBy(data, kept)).toBeLessThanOrEqual(2)
    expect(found[0]?.wellBehaved.clients).toBe(await refusedBy(data, kept))
    for (const tighter of tighterThan(data)) expect(await refusedBy(tighter, kept)).toBeGreaterThan(2)
  })

  it('are tight also where all share one count, and attackers take of it', async () => {
    const kept = crowd('everybody')
    const aim = { mostRefused: 0.2, wellBehavedShare: 0.9, policies: [policyData('slidingWindowLog:7/10s')] }
    const { found } = await suggest(kept, aim)
    const data = policyData(found[0]?.text ?? '')
    // The scraper alone sends 200 in ten seconds.
    expect(Number(data.limit)).toBeGreaterThan(150)
    expect(await refusedBy(data, kept)).toBeLessThanOrEqual(2)
    for (const tighter of tighterThan(data)) expect(await refusedBy(tighter, kept)).toBeGreaterThan(2)
  })
})

/** Nineteen clients that send three at once every two minutes, and one that sends one a second. */
const regular = keptOf(
  [
    ...Array.from({ length: 19 }, (_, i) =>
      [0, 0, 0, 120, 120, 120, 240, 240, 240].map((at): Sent => [at, `calm-${i}`]),
    ),
    every(1, 300, 'busy'),
  ].flat(),
)

// biome-ignore format: a table
it.each([
  // named                            found                             refuses of the busy one's 300
  [ 'slidingWindowLog:9/1m',          'slidingWindowLog:3/1m',          285 ],
  [ 'fixedWindow:9/2m',               'fixedWindow:3/2m',               291 ],
  [ 'slidingWindowLog:9/5m',          'slidingWindowLog:9/5m',          291 ],
  // Three at once, and three again after two minutes: two a minute refill that.
  [ 'gcra:9/1m',                      'gcra:2/1m,burst=2',              288 ],
  [ 'tokenBucket:9/1m,capacity=9',    'tokenBucket:2/1m,capacity=3',    288 ],
])('finds by replaying what can be found by hand: %s', async (text, found, refused) => {
  const aim = { mostRefused: 0, wellBehavedShare: 0.95, policies: [policyData(text)] }
  const suggestions = await suggest(regular, aim)
  expect(suggestions.found.map((each) => each.text)).toEqual([found])
  expect(suggestions).toMatchObject({
    busiestMinute: 3,
    wellBehaved: { clients: 19, requests: 171 },
    others: { clients: 1, requests: 300 },
    found: [{ wellBehaved: { clients: 0, requests: 0 }, others: { clients: 1, requests: refused } }],
  })
})

it('says where no numbers refuse so few', async () => {
  const aim = { mostRefused: 0.05, wellBehavedShare: 0.95, policies: [policyData('uniform:10s')] }
  expect(await suggest(regular, aim)).toMatchObject({ found: [], notFound: ['uniform:10s'] })
})

it('suggests nothing where there was no request', async () => {
  const aim = { mostRefused: 0.05, wellBehavedShare: 0.95, policies: [policyData('gcra:1/1m')] }
  expect(await suggest(keptOf([]), aim)).toMatchObject({
    found: [],
    notFound: [],
    wellBehaved: { clients: 0 },
  })
})

/** What decides whether two policies are one. */
function policyValue(policy: object): unknown {
  return Object.getOwnPropertyDescriptor(policy, 'value')?.value
}

it.each([...named, 'uniform:7s'])('writes the same policy in three ways: %s', async (text) => {
  const aim = { mostRefused: 0.2, wellBehavedShare: 0.9, policies: [policyData(text)] }
  const { text: short = '', code = '', yaml = '' } = (await suggest(crowd(), aim)).found[0] ?? {}
  const value = policyValue(strategies.policyFrom(policyData(short)))
  const evaluate = new Function(...Object.keys(strategies), `return ${code}`)
  expect(policyValue(evaluate(...Object.values(strategies)))).toBe(value)
  const [level] = readLimitsText(`schema: { user: { limits: ${yaml} } }`, 'limits.yaml').levels
  expect(policyValue(level?.policy ?? {})).toBe(value)
})
