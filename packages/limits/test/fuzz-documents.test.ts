import { describe, expect, it } from '@jest/globals'
import {
  aFunction,
  count,
  describeOptions,
  type Means,
  never,
  nonsense,
  perPolicy,
  truth,
} from '@sluice/conformance/options'
import { memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import fc from 'fast-check'
import { type Limits, type LoadLimitsOptions, loadLimits } from '../src/index.ts'
import { isLimitsError } from '../src/problem.ts'
import { placesData, trees } from './trees.ts'

const runs = { numRuns: 500 }
const logger = { warn: () => {}, error: () => {} }

function load(from: object): Promise<Limits> {
  const options = { store: memoryStore({ clock: manualClock() }), logger, ...from }
  return loadLimits(options as LoadLimitsOptions) // nonsense has no type
}

/** undefined for a LimitsError; nothing else is ever thrown. */
async function loaded(from: object): Promise<Limits | undefined> {
  try {
    return await load(from)
  } catch (error) {
    if (!isLimitsError(error)) throw error
    expect(error.problems).not.toEqual([])
    return undefined
  }
}

/** A tree with something else in one place. */
const damaged = fc
  .record({ places: trees, at: fc.nat(), put: fc.jsonValue({ maxDepth: 2 }) })
  .map(({ places, at, put }) => {
    const whole = { schema: placesData(places) }
    let left = at % JSON.stringify(whole).length
    return JSON.parse(JSON.stringify(whole, (_, value) => (left-- === 0 ? put : value)))
  })

describe('any JSON', () => {
  it('is a tree or a LimitsError, and the same as data and as text', async () => {
    const property = fc.asyncProperty(fc.oneof(fc.jsonValue(), damaged), async (tree) => {
      const byData = await loaded({ tree })
      const byText = await loaded({ text: JSON.stringify(tree) })
      expect(byText === undefined).toBe(byData === undefined)
    })
    await fc.assert(property, runs)
  })
})

const choice: Means = (value) => value === 'local' || value === 'allow' || value === 'deny'
const limit = 3
const tree = { schema: { user: { limits: { strategy: 'fixedWindow', limit, window: '1h' } } } }

async function expectLimits(limits: Limits, { shadow }: { shadow?: unknown }): Promise<void> {
  for (let i = 0; i < limit; i++) await limits.check(['user'])
  const decision = await limits.check(['user'])
  expect(shadow === true ? decision.shadow?.reason : decision.reason).toBe('limited')
}

describeOptions({
  name: 'loadLimits',
  right: {
    tree,
    watch: false,
    unmatched: 'allow',
    onReload: () => {},
    name: 'limits',
    store: undefined,
    charge: 'every-level',
    shadow: false,
    onStoreFailure: 'local',
    tag: 2,
    observers: [],
    logger,
  },
  places: {
    file: never,
    text: never,
    watch: truth,
    unmatched: never,
    onReload: aFunction,
    name: (value) => typeof value === 'string' && value !== '' && value.length <= 100,
    store: never,
    charge: never,
    shadow: perPolicy(truth),
    onStoreFailure: perPolicy(choice),
    tag: perPolicy(count),
    observers: (value) => Array.isArray(value) && value.length === 0,
    logger: never,
  },
  related: ['file', 'text'],
  make: load,
  judge: expectLimits,
})

describe('a call with nonsense', () => {
  const paths = fc.oneof(
    nonsense,
    fc.constant(['user']),
    fc.array(fc.oneof(fc.constant('user'), nonsense), { maxLength: 3 }),
  )
  const options = fc.oneof(
    nonsense,
    fc.record({ cost: fc.oneof(nonsense, fc.record({ user: nonsense })) }),
    fc.record({ note: nonsense }),
  )

  const whole: Means = (value) => Number.isSafeInteger(value) && Number(value) >= 0
  const costs: Means = (value) => value === undefined || perPolicy(whole, ['user'])(value)

  it('is a TypeError that says what is wrong, or decided within the limits', async () => {
    const property = fc.asyncProperty(paths, options, async (path, given) => {
      const limits = await load({ tree, unmatched: 'error' })
      let admitted = 0
      try {
        for (let i = 0; i <= limit; i++) {
          const { allowed, cost } = await limits.check(path as string[], given as { cost?: number })
          if (allowed && cost > 0) admitted++
          expect(costs(Object(given).cost)).toBe(true)
          expect(path).toEqual((path as unknown[]).map(String))
        }
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
        expect((error as TypeError).message).toMatch(/^(path|options|cost|note)\b.*: expected .*, got ./s)
      }
      expect(admitted).toBeLessThanOrEqual(limit)
    })
    await fc.assert(property, { ...runs, numRuns: 1000 })
  })
})
