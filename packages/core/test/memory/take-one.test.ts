// The short way of a plain check is left by the keys that need another alone, and by those no longer than they do.
import { describe, expect, it, jest } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import { createLimiter, fixedWindow, gcra, memoryStore, type Policy } from '../../src/index.ts'
import { partsOf } from '../../src/strategies/policy-parts.ts'

const policies = {
  gcra: (count: number) => gcra({ count, period: '10s' }),
  fixedWindow: (limit: number) => fixedWindow({ limit, window: '10s' }),
}

/** How many of such checks go the short way. */
async function short(policy: Policy, asks: () => Promise<unknown>): Promise<number> {
  const { packed } = partsOf(policy).definition
  if (packed === undefined) throw new Error('no state of numbers')
  const spy = jest.spyOn(packed, 'takeOne')
  await asks()
  const calls = spy.mock.calls.length
  spy.mockRestore()
  return calls
}

describe.each(Object.entries(policies))(
  '%s: after a call with numbers of its own for another key',
  (_name, policyOf) => {
    const policy = policyOf(5)
    const clock = manualClock()
    const made = async () => {
      const limiter = createLimiter({ policy, store: memoryStore({ clock }) })
      await limiter.check('bob')
      await limiter.check('chosen', { policy: policyOf(3) })
      return limiter
    }

    it('a key goes the short way', async () => {
      const limiter = await made()
      expect(await short(policy, () => limiter.check('bob'))).toBe(1)
      expect(await limiter.check('bob')).toMatchObject({ allowed: true, remaining: 2 })
      await limiter.close()
    })

    it('the other key does not', async () => {
      const limiter = await made()
      expect(await short(policy, () => limiter.check('chosen'))).toBe(0)
      // By now the limiter's own numbers have written it, on top of what others have charged.
      expect(await short(policy, () => limiter.check('chosen'))).toBe(0)
      await limiter.close()
    })

    it('the other key does again once that count is over', async () => {
      const limiter = await made()
      await clock.advance('1m')
      await limiter.check('chosen')
      expect(await short(policy, () => limiter.check('chosen'))).toBe(1)
      await limiter.close()
    })

    it('a key that takes its place does', async () => {
      const limiter = await made()
      await limiter.reset('chosen')
      await limiter.check('new')
      expect(await short(policy, () => limiter.check('new'))).toBe(1)
      await limiter.close()
    })
  },
)
