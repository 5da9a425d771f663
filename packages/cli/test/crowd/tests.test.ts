import { describe, expect, it } from '@jest/globals'
import { createLimiter, memoryStore } from '@sluice/core'
import * as strategies from '@sluice/core/strategies'
import { manualClock } from '@sluice/testing'
import { randomOf } from '../../src/compare/traffic/random.ts'
import { type Between, mostWithin } from '../../src/crowd/most-within.ts'
import { plan } from '../../src/crowd/plan.ts'
import { ruleWords } from '../../src/crowd/rule-words.ts'
import { type CrowdTest, crowdTests, testsNamed } from '../../src/crowd/tests.ts'
import type { PolicyOrder } from '../../src/endpoint/index.ts'

const { policyFrom, ...byName } = strategies

function policyOf({ shadow: _, key: __, ...policy }: PolicyOrder): ReturnType<typeof policyFrom> {
  return policyFrom(policy)
}

/** Sends a test's crowd to the memory store in virtual time. */
async function admissions(test: CrowdTest, allowed: number, loops: number): Promise<readonly Between[]> {
  let nowUs = 0
  const clock = { ...manualClock(), nowUs: () => nowUs }
  const rules = Object.entries(test.rule(allowed).policies)
  const limiter = createLimiter({
    policies: Object.fromEntries(rules.map(([name, order]) => [name, policyOf(order)])),
    shadow: Object.fromEntries(rules.map(([name, { shadow = false }]) => [name, shadow])),
    store: memoryStore({ clock }),
  })
  const admitted: Between[] = []
  for (const { atMs, visitor } of plan(test.crowd(allowed), { loops, seconds: 22 }, randomOf(6))) {
    nowUs = Math.round(atMs * 1000)
    const keys = rules.map(([name, { key }]) => [name, key === 'visitor' ? visitor : 'everybody'])
    const decision = await limiter.check(Object.fromEntries(keys))
    if (decision.allowed) admitted.push({ fromMs: nowUs / 1000, toMs: nowUs / 1000 })
  }
  return admitted
}

async function mostIn10s(name: string, [loops, allowed]: readonly [number, number]): Promise<number> {
  const [test] = testsNamed([name])
  if (test === undefined) throw new Error(`no test ${name}`)
  return mostWithin(await admissions(test, allowed, loops), 10_000)
}

const sizes = [
  [400, 300],
  [40, 30],
  [60, 5],
] as const

describe.each(sizes)('a crowd of %d loops, %d allowed', (...size) => {
  const [, allowed] = size

  it.each(['log', 'log-delays', 'pair', 'multiWindow'])(
    'fills the allowance and never exceeds it: %s',
    async (name) => {
      expect(await mostIn10s(name, size)).toBe(allowed)
    },
  )

  it('stays within the allowance with as many names as allowed', async () => {
    const most = await mostIn10s('gate', size)
    expect(most).toBeLessThanOrEqual(allowed)
    expect(most).toBeGreaterThan(0.8 * allowed)
  })

  it.each(['gang', 'fixedWindow', 'attributedWindow', 'tokenBucket'])('breaks through: %s', async (name) => {
    expect(await mostIn10s(name, size)).toBeGreaterThan(1.2 * allowed)
  })
})

it('tries every strategy', () => {
  const tried = crowdTests.flatMap((test) =>
    Object.values(test.rule(300).policies).map(({ strategy }) => strategy),
  )
  expect([...new Set(tried)].sort()).toEqual(Object.keys(byName).sort())
})

it.each([1, 2, 3, 30, 300, 9999, 100_000])('has rules that make sense for %d allowed', (allowed) => {
  for (const test of crowdTests) expect(() => ruleWords(test.rule(allowed))).not.toThrow()
})

// biome-ignore format: a table
it.each([
  // allowed  slots  visit
  [300,       6,     200],
  [5,         1,     2000],
  [1,         1,     10_000],
  [100_000,   100,   10],
])('lets %d through in 10 s by slots in flight', (allowed, limit, visitMs) => {
  const [test] = testsNamed(['concurrency'])
  expect(test?.rule(allowed)).toMatchObject({ policies: { everybody: { limit } }, visitMs })
})

// biome-ignore format: a table
it.each([
  // test          rule in words
  ['log',          '300 in 10 s'],
  ['gang',         '1 in 10 s per client'],
  ['pair',         '1 in 10 s per client + 300 in 10 s'],
  ['multiWindow',  '60 / 1 s, 300 / 10 s'],
  ['concurrency',  '6 at once, 200 ms each'],
])('states the rule of %s', (name, words) => {
  const [test] = testsNamed([name])
  expect(test && ruleWords(test.rule(300))).toBe(words)
})
