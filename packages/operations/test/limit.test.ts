import { expect, it } from '@jest/globals'
import { createLimiter, fixedWindow } from '@sluice/core'
import { Limit } from '../src/limits/limit.ts'

it('a limit that counts fractions does so also while it is changed', async () => {
  const limit = new Limit('budget', fixedWindow({ limit: 5, window: '1h', unit: 0.01 }))
  const limiter = createLimiter({ policy: limit.policy })
  expect(await limiter.check('bob', { cost: 0.25 })).toMatchObject({ limit: 5, remaining: 4.75 })
  const change = {
    name: 'budget',
    options: { limit: 2.5 },
    endsInMs: null,
    atMs: 0,
    why: undefined,
    by: undefined,
  }
  limit.hear(change, 0)
  expect(await limiter.check('bob', { cost: 0.25 })).toMatchObject({ limit: 2.5, remaining: 2 })
  limit.hear(undefined, 0)
  expect(await limiter.check('bob', { cost: 0.25 })).toMatchObject({ limit: 5, remaining: 4.25 })
})
