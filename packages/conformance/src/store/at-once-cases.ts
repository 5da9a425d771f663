import { createLimiter, type StoreAtOnce } from '@sluice/core'
import { everyStrategy } from '../every-strategy.ts'
import { expect } from '../runner.ts'
import type { StoreCase } from './case.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

/** As many as pass, and a refusal: the same from both, key by key. */
async function checkNowIsCheck({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const atOnce = store as StoreAtOnce // a store that says no such thing has no checkNow, which is seen below
  const limiter = createLimiter({ name: 'at once', policies: everyStrategy(3, '10s'), store: atOnce })
  if (store.atOnce !== true) {
    expect(() => limiter.checkNow('now')).toThrow('cannot answer at once')
    expect((await limiter.peek('now')).summary).toEqual((await limiter.peek('untouched')).summary)
  } else {
    for (const options of [undefined, { cost: 2 }, { cost: 0 }, undefined, undefined]) {
      const { key: _now, ...now } = limiter.checkNow('now', options)
      const { key: _later, ...later } = await limiter.check('later', options)
      expect(now).toEqual(later)
    }
  }
  await limiter.close()
}

export const atOnceCases: readonly StoreCase[] = [
  {
    about: 'checkNow',
    title: 'decides as check where the store answers at once, and charges nothing elsewhere',
    run: checkNowIsCheck,
  },
]
