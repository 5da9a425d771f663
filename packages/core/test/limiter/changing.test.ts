import { describe, expect, it } from '@jest/globals'
import { changeable, everyStrategy } from '@sluice/conformance/every-strategy'
import { manualClock } from '@sluice/testing'
import fc from 'fast-check'
import { createLimiter, type Decision, gcra, memoryStore, type Policy } from '../../src/index.ts'

const steps = fc.array(
  fc.record({
    operation: fc.constantFrom('check', 'check', 'check', 'peek'),
    changed: fc.boolean(),
    cost: fc.integer({ min: 0, max: 3 }),
    afterMs: fc.constantFrom(0, 1, 400, 1000, 9999, 10_000),
  }),
  { maxLength: 30 },
)

const facts = ({ allowed, limit, remaining, reason, retryAfterMs, resetAfterMs }: Decision) => ({
  allowed,
  limit,
  remaining,
  reason,
  retryAfterMs,
  resetAfterMs,
})

describe('a policy for which another stands in decides as if each call had chosen that one', () => {
  const [owns, others] = [everyStrategy(3, '10s'), everyStrategy(5, '1s')]
  it.each(Object.keys(owns))('%s', async (name) => {
    const own: Policy = Reflect.get(owns, name)
    const other: Policy = Reflect.get(others, name)
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const clock = manualClock()
        const store = memoryStore({ clock })
        const changing: { now: Policy | undefined } = { now: undefined }
        const changed = createLimiter({ name: 'changed', store, policy: changeable(own, changing) })
        const chosen = createLimiter({ name: 'chosen', store, policy: own })
        for (const { operation, cost, afterMs, ...step } of history) {
          await clock.advance(afterMs)
          changing.now = step.changed ? other : undefined
          const ask = operation === 'peek' ? 'peek' : 'check'
          const one = await changed[ask]('bob', { cost })
          const two = await chosen[ask]('bob', step.changed ? { cost, policy: other } : { cost })
          expect(facts(one)).toEqual(facts(two))
        }
        await changed.close()
        await chosen.close()
      }),
      { numRuns: 60 },
    )
  })
})

it('what a call counts by is seen by `inspect`, `block` and a call that has chosen the policy itself', async () => {
  const changing: { now: Policy | undefined } = { now: undefined }
  const free = changeable(gcra({ count: 100, period: '1m' }), changing)
  const limiter = createLimiter({ policy: free })
  const chooses = createLimiter({ name: 'plans', policy: gcra({ count: 7, period: '1m' }) })
  expect((await limiter.inspect('bob')).default).toMatchObject({ limit: 100 })
  changing.now = gcra({ count: 50, period: '1m' })
  expect((await limiter.inspect('bob')).default).toMatchObject({ limit: 50 })
  expect((await chooses.check('bob', { policy: free })).limit).toBe(50)
  await limiter.block('bob', '1m')
  expect((await limiter.check('bob')).reason).toBe('blocked')
  changing.now = undefined
  expect((await limiter.check('bob')).reason).toBe('blocked')
  expect((await chooses.check('bob', { policy: free })).limit).toBe(100)
})
