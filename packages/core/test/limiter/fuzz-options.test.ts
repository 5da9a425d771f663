import { describe, expect, it } from '@jest/globals'
import { count, describeOptions, type Means, never, perPolicy, truth } from '@sluice/conformance/options'
import { manualClock } from '@sluice/testing'
import fc from 'fast-check'
import {
  createLimiter,
  fixedWindow,
  type Limiter,
  type LimiterSettings,
  memoryStore,
  type Policies,
} from '../../src/index.ts'

type Options = LimiterSettings & { policies: Policies }

const limit = 3
const policy = fixedWindow({ limit, window: '1h' })
const quiet = { warn: () => {}, error: () => {} }
const choice: Means = (value) => value === 'local' || value === 'allow' || value === 'deny'
const observer: Means = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

function make(options: object): Limiter<Policies> {
  const store = memoryStore({ clock: manualClock() })
  return createLimiter<Policies>({ store, ...options } as Options) // nonsense has no type
}

/** Refused past the limit, or in shadow mode allowed with what would have been. */
async function expectLimits(
  limiter: Limiter<Policies>,
  { shadow }: { shadow?: unknown } = {},
): Promise<void> {
  for (let i = 0; i < limit; i++) await limiter.check('bob')
  const decision = await limiter.check('bob')
  const inShadow = shadow === true || Object.values(Object(shadow)).includes(true)
  expect(inShadow ? decision.shadow?.reason : decision.reason).toBe('limited')
}

const names = ['visitor']
describeOptions({
  name: 'createLimiter',
  right: {
    policies: { visitor: policy },
    name: 'tickets',
    charge: 'all-or-nothing',
    shadow: { visitor: false },
    onStoreFailure: { visitor: 'local' },
    tag: { visitor: 1 },
    observers: [{ lost() {} }],
    logger: quiet,
    store: undefined,
  },
  places: {
    policy: never,
    policies: never,
    'policies.visitor': never,
    name: (value) => typeof value === 'string' && value !== '' && value.length <= 100,
    charge: never,
    shadow: perPolicy(truth, names),
    'shadow.visitor': truth,
    onStoreFailure: perPolicy(choice, names),
    'onStoreFailure.visitor': choice,
    tag: perPolicy(count, names),
    'tag.visitor': count,
    observers: (value) => Array.isArray(value) && value.every(observer),
    'observers[0]': observer,
    logger: never,
    'logger.warn': (value) => typeof value === 'function',
    store: never,
  },
  related: ['policies', 'policy'],
  make,
  judge: expectLimits,
})

describe('a policy of any name', () => {
  const anyName = fc.oneof(
    fc.constantFrom(
      'constructor',
      'toString',
      'valueOf',
      'hasOwnProperty',
      'then',
      'wait',
      '0',
      '__defineGetter__',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 10 }).filter((name) => name !== '__proto__'),
  )
  const few = fc.uniqueArray(anyName, { minLength: 1, maxLength: 3 })

  it('limits where records say nothing of it', async () => {
    const property = fc.asyncProperty(few, async (all) => {
      const policies = Object.fromEntries(all.map((name) => [name, policy]))
      const limiter = make({ policies, shadow: {}, onStoreFailure: {}, tag: {}, logger: quiet })
      for (let i = 0; i < limit; i++) await limiter.check('bob', { cost: {}, policies: {} })
      const decision = await limiter.check('bob', { cost: {}, policies: {} })
      expect(decision.reason).toBe('limited')
      expect(Object.keys(decision.verdicts).sort()).toEqual([...all].sort())
    })
    await fc.assert(property, { numRuns: 300 })
  })
})
