import { expect, it } from '@jest/globals'
import { everyStrategy } from '@sluice/conformance/every-strategy'
import { manualClock } from '@sluice/testing'
import fc from 'fast-check'
import { createLimiter, type Decision, gcra, memoryStore, type Policy, type Store } from '../../src/index.ts'

/** The same store, asked as one that has no `take`. */
function asking(store: Store): Store {
  return {
    name: store.name,
    can: store.can,
    clock: store.clock,
    answer: (question) => store.answer(question),
    adjust: (changes) => store.adjust(changes),
    renew: (held) => store.renew?.(held) ?? [],
    manage: (command) => store.manage(command),
    close: () => store.close(),
  }
}

const policies: { readonly [name: string]: Policy } = {
  ...everyStrategy(3, '10s'),
  blocking: gcra({ count: 3, period: '10s', blockFor: { first: '20s', prolong: true } }),
}

const step = fc.record({
  key: fc.constantFrom('bob', 'alice', 'a,b%'),
  cost: fc.constantFrom(1, 1, 1, 1, 0, 2, 5),
  after: fc.constantFrom('1ms', '700ms', '5s', '11s'),
  act: fc.constantFrom('nothing', 'nothing', 'give back', 'block', 'unblock', 'reset'),
})

it.each(Object.keys(policies))(
  '%s: a check that is taken at once is answered as any question is',
  async (name) => {
    const policy = policies[name] as Policy
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const clocks = [manualClock(), manualClock()] as const
        const atOnce = createLimiter({ policy, store: memoryStore({ clock: clocks[0], maxKeys: 2 }) })
        const asked = createLimiter({ policy, store: asking(memoryStore({ clock: clocks[1], maxKeys: 2 })) })
        for (const { key, cost, after, act } of steps) {
          const options = cost === 1 ? undefined : { cost }
          const decisions: Decision[] = []
          for (const limiter of [atOnce, asked]) decisions.push(await limiter.check(key, options))
          expect(decisions[0]).toEqual(decisions[1])
          for (const [i, limiter] of [atOnce, asked].entries()) {
            if (act === 'give back') await decisions[i]?.refund()
            else if (act === 'block') await limiter.block(key, '3s')
            else if (act !== 'nothing') await limiter[act](key)
          }
          for (const clock of clocks) await clock.advance(after)
        }
        await Promise.all([atOnce.close(), asked.close()])
      }),
      { numRuns: 60 },
    )
  },
)
