import {
  type Check,
  type Duration,
  fixedWindow,
  multiWindow,
  type Policy,
  reservable,
  slidingWindowCounter,
  slidingWindowLog,
} from '@sluice/core'
import { definitions } from '@sluice/core/internal'
import { expect } from '../runner.ts'
import { askOne, change, checkOf, freshKey, inspect } from './asking.ts'
import type { StoreCase } from './case.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

const second = 1_000_000
const hour = 3600 * second

const windows: readonly ((limit: number, window: Duration) => Policy)[] = [
  (limit, window) => fixedWindow({ limit, window }),
  (limit, window) => slidingWindowCounter({ limit, window }),
  (limit, window) => slidingWindowLog({ limit, window }),
  (limit, window) => multiWindow({ limits: [{ limit, window }] }),
]

/** What a call may do that has chosen a policy whose callers cannot wait. */
const acts: readonly { readonly title: string; run(subject: StoreUnderTest, check: Check): Promise<void> }[] =
  [
    { title: 'a check', run: async ({ store }, check) => void (await askOne(store, check)) },
    {
      title: 'a look',
      run: async ({ store }, check) => void (await askOne(store, { ...check, cost: 0 })),
    },
    { title: 'a penalty', run: ({ store }, check) => change(store, [{ check, receipt: null, byUnits: 1 }]) },
    { title: 'an inspection', run: async ({ store }, check) => void (await inspect(store, check)) },
  ]

/** One an hour: each turn has one caller, whatever calls with a shorter window or a shorter maxDebt do meanwhile. */
async function keepsItsTurns(
  subject: StoreUnderTest,
  make: (typeof windows)[number],
  act: (typeof acts)[number],
): Promise<void> {
  const { store, setClock } = subject
  const long = reservable(make(1, '1h'), { maxDebt: '12h' })
  // The same length too: then only how far ahead it lets callers reserve differs.
  for (const window of ['1s', '1h'] as const) {
    const short = reservable(make(1, window), { maxDebt: 0 })
    for (const [own, other] of [
      [long, definitions.chosenFor(short, long)],
      [definitions.chosenFor(long, short), short],
      [definitions.chosenFor(long), definitions.chosenFor(short)],
    ] as const) {
      const check = checkOf(own, freshKey())
      const turns: number[] = []
      for (let atUs = baseUs; turns.length < 4; atUs += 2000) {
        await setClock(atUs)
        await act.run(subject, { ...check, policy: other })
        const { allowed, waitUs } = await askOne(store, check, { maxWaitUs: 12 * hour })
        expect(allowed).toBe(true)
        const before = turns[turns.length - 1] ?? Number.NEGATIVE_INFINITY
        expect(atUs + waitUs).toBeGreaterThanOrEqual(before + hour)
        turns.push(atUs + waitUs)
      }
    }
  }
}

/** Turns of callers that wait, beside calls that choose other numbers. */
export const bookedCases: readonly StoreCase[] = windows.flatMap((make) =>
  acts.map((act) => ({
    about: `reservable ${make(1, '1h').strategy}`,
    title: `${act.title} under a policy that was chosen for it lets no two callers have one turn`,
    run: (subject) => keepsItsTurns(subject, make, act),
  })),
)
