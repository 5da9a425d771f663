import { expect, it } from '@jest/globals'
import { everyStrategy } from '@sluice/conformance/every-strategy'
import fc from 'fast-check'
import {
  createLimiter,
  type Decision,
  type Duration,
  fixedWindow,
  gcra,
  type Key,
  memoryStore,
  type Policy,
  type Store,
} from '../../src/index.ts'

/** The same store, asked as one that has no `counter`. */
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
  blocking: blockingFor(3, '10s'),
  'a limit of 0, gcra': gcra({ count: 0, period: '10s' }),
  'a limit of 0, fixedWindow': fixedWindow({ limit: 0, window: '10s' }),
}

function blockingFor(count: number, period: Duration): Policy {
  return gcra({ count, period, blockFor: { first: '20s', prolong: true } })
}

/** A call may choose other numbers, for which a state has more than its own numbers. */
const chosen: { readonly [name: string]: Policy } = {
  ...everyStrategy(5, '4s'),
  blocking: blockingFor(5, '4s'),
}

const step = fc.record({
  // A list is stored as a text that is another key, and so is what is escaped.
  key: fc.constantFrom<Key>(
    'bob',
    'bob',
    'bob',
    'bob',
    'bob',
    'bob',
    'alice',
    'a,b',
    ['a', 'b'],
    'a%2cb',
    'a%',
  ),
  chooses: fc.constantFrom(false, false, false, true),
  cost: fc.constantFrom(1, 1, 1, 1, 1, 1, 0, 2, 5),
  /** A clock of the user's own may step back. */
  afterUs: fc.constantFrom(0, 0, 1e3, 1e3, 1e3, 1e3, 700e3, 700e3, 5e6, 10e6, 11e6, -3e6),
  act: fc.constantFrom(
    'nothing',
    'nothing',
    'nothing',
    'nothing',
    'nothing',
    'give back',
    'give back late',
    'block',
    'unblock',
    'reset',
    'penalize',
  ),
})

it.each(Object.keys(policies))(
  '%s: a check that is taken at once is answered as any question is',
  async (name) => {
    const policy = policies[name] as Policy<'penalize'>
    const canPenalize = 'penalize' in policy.can
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        let nowUs = 1e15
        let late: readonly Decision[] = []
        const clock = { nowUs: () => nowUs }
        const atOnce = createLimiter({ policy, store: memoryStore({ clock, maxKeys: 3 }) })
        const asked = createLimiter({ policy, store: asking(memoryStore({ clock, maxKeys: 3 })) })
        for (const { key, chooses, cost, afterUs, act } of steps) {
          const options = chooses ? { cost, policy: chosen[name] } : cost === 1 ? undefined : { cost }
          const decisions: Decision[] = []
          for (const limiter of [atOnce, asked]) decisions.push(await limiter.check(key, options))
          const [first, second] = decisions
          expect(first).toEqual(second)
          // What is made when it is read.
          expect(first?.verdicts).toEqual(second?.verdicts)
          expect(first?.summary).toEqual(second?.summary)
          for (const [i, limiter] of [atOnce, asked].entries()) {
            if (act === 'give back') await decisions[i]?.refund()
            else if (act === 'give back late') await late[i]?.refund()
            else if (act === 'block') await limiter.block(key, '3s')
            else if (act === 'penalize') await (canPenalize && limiter.penalize(key, 1))
            else if (act !== 'nothing') await limiter[act](key)
          }
          if (late.length === 0 || act === 'give back late') late = decisions
          nowUs += afterUs
        }
        await Promise.all([atOnce.close(), asked.close()])
      }),
      { numRuns: 100 },
    )
  },
)

it('gives back to a key that was counted anew what it has taken since', async () => {
  const limiter = createLimiter({ policy: gcra({ count: 3, period: '10s' }), store: memoryStore() })
  await limiter.check('bob')
  await limiter.reset('bob')
  await limiter.check('bob')
  const decision = await limiter.check('bob')
  await decision.refund()
  expect((await limiter.inspect('bob')).default?.remaining).toBe(2)
  await limiter.close()
})

it.each<readonly [string, Policy]>([
  ['fixedWindow', fixedWindow({ limit: 2, window: '10s' })],
  ['gcra', gcra({ count: 2, period: '10s' })],
])('%s: keys that were used up one by one stay, and others have room beside them', async (_name, policy) => {
  const usedUp = Array.from({ length: 20 }, (_, i) => `used up ${i}`)
  const limiter = createLimiter({ policy, store: memoryStore({ maxKeys: usedUp.length + 1 }) })
  await limiter.check('the first')
  for (const key of [...usedUp, ...usedUp]) await limiter.check(key)
  for (let i = 0; i < 10; i++) expect((await limiter.check(`made up ${i}`)).allowed).toBe(true)
  for (const key of usedUp) expect((await limiter.check(key)).allowed).toBe(false)
  await limiter.close()
})
