import { expect, it } from '@jest/globals'
import { memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { describeProblem, explain, loadLimits, readLimitsText } from '../src/index.ts'
import { errorOf } from './problems.ts'

const text = `
schema:
  login:
    limits:
      strategy: fixedWindow
      limit: 2
      window: 1m
      blockFor: { first: 10m, factor: 2, banAfter: 1, banFor: 1h }
    children:
      admin: { limits: { strategy: gcra, count: 1, period: 1m, blockFor: 5m } }
`

it('a policy in a file blocks the places that it refuses', async () => {
  const clock = manualClock()
  const limits = await loadLimits({ text, store: memoryStore({ clock }) })
  for (let i = 0; i < 2; i++) expect((await limits.check(['login'])).allowed).toBe(true)
  expect(await limits.check(['login'])).toMatchObject({ reason: 'blocked', retryAfterMs: 600_000 })
  await clock.advance('10m')
  for (let i = 0; i < 2; i++) await limits.check(['login'])
  expect(await limits.check(['login'])).toMatchObject({ reason: 'banned', retryAfterMs: 3_600_000 })
  expect(await limits.inspect(['login'])).toMatchObject({ login: { banned: true, blocks: 2 } })
  await limits.unblock(['login'])
  expect(await limits.inspect(['login'])).toMatchObject({ login: { blockedMs: null, blocks: 0 } })
  await limits.close()
})

it('its rule says how', () => {
  const explained = JSON.stringify(explain(readLimitsText(text), ['login', 'admin']))
  expect(explained).toContain('2 per 1m, blockFor first 10m factor 2 banAfter 1 banFor 1h')
  expect(explained).toContain('1 per 1m, blockFor 5m')
})

// biome-ignore format: a table
it.each([
  ['blockFor: 600',                     'a duration with a unit such as "10s", got 600'],
  ['blockFor: { first: 600 }',          'a duration with a unit such as "10s", got 600'],
  ['blockFor: { first: 1m, faktor: 2 }', 'a known field (did you mean "factor"?), got "faktor" (string)'],
  ['blockFor: { first: 1m, factor: x }', 'a whole number from 1 to 1000, got "x" (string)'],
  ['blockFor: { factor: 2 }',           'a duration with a unit such as "10s", of whole microseconds, from 1 ms to 366 days, got nothing'],
  ['blokFor: 10m',                      'a known field (did you mean "blockFor"?), got "blokFor" (string)'],
])('%s is answered where it stands', (line, expected) => {
  const wrong = `schema:\n  a: { limits: { strategy: fixedWindow, limit: 2, window: 1m, ${line} } }\n`
  const problems = errorOf(() => readLimitsText(wrong))?.problems ?? []
  expect(problems.map((problem) => describeProblem(problem))).toEqual([expect.stringContaining(expected)])
})
