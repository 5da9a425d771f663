import { type Check, fixedWindow, type Question, slidingWindowLog } from '@sluice/core'
import { expect } from '../runner.ts'
import { ask, askOne, change, checkOf, freshKey, manage } from './asking.ts'
import type { StoreCase } from './case.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

const limit = 20
const policies = [fixedWindow({ limit, window: '10s' }), slidingWindowLog({ limit, window: '10s' })]

/** Whatever goes together on its way, each has the answer and the receipt that it would have alone. */
async function manyOfOneKey({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  for (const policy of policies) {
    const check = checkOf(policy, freshKey())
    const other = checkOf(policy, freshKey())
    const asked = Array.from({ length: 3 * limit }, () => askOne(store, check))
    const elsewhere = askOne(store, { ...other, cost: limit })
    const rows = await Promise.all(asked)
    const taken = rows.filter(({ allowed }) => allowed)
    const left = taken.map(({ remaining }) => remaining).sort((a, b) => a - b)
    expect(left).toEqual(Array.from({ length: limit }, (_, i) => i))
    expect(rows.filter(({ receipt }) => receipt !== '')).toEqual(taken)
    expect(await elsewhere).toMatchObject({ allowed: true, remaining: 0 })
    const [first, second] = taken
    const back = [first, second].map((row) => ({ check, receipt: row?.receipt ?? '', byUnits: -1 }))
    await Promise.all(back.map((each) => change(store, [each])))
    expect((await askOne(store, { ...check, cost: 0 })).remaining).toBe(2)
  }
}

/** What one caller does without waiting is done in its order, or at least all of it. */
async function everyKindAtOnce({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const [policy] = policies
  if (policy === undefined) return
  const check = checkOf(policy, freshKey())
  const looks: Partial<Omit<Question, 'checks'>> = { take: false }
  await Promise.all([
    ...Array.from({ length: 5 }, () => askOne(store, check)),
    ...Array.from({ length: 5 }, () => askOne(store, check, looks)),
    change(store, [{ check, receipt: null, byUnits: 3 }]),
    ...Array.from({ length: 5 }, () => askOne(store, check)),
    askOne(store, { ...check, cost: limit + 1 }),
  ])
  expect((await askOne(store, check, looks)).remaining).toBe(limit - 13)
  await Promise.all([manage(store, 'block', check, { us: 5_000_000 }), askOne(store, check, looks)])
  expect(await askOne(store, check)).toMatchObject({ allowed: false, reason: 'blocked' })
}

/** Several policies at once, in whichever order a question names its keys. */
async function crossing({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const [policy] = policies
  if (policy === undefined) return
  const [a, b] = [freshKey(), freshKey()].map((key) => checkOf(policy, key)) as [Check, Check] // as many as keys
  const asked = Array.from({ length: 2 * limit }, (_, i) => ask(store, i % 2 === 0 ? [a, b] : [b, a]))
  const rows = await Promise.all(asked)
  expect(rows.filter((row) => row.every(({ allowed }) => allowed))).toHaveLength(limit)
  expect((await ask(store, [a, b], { take: false })).map(({ remaining }) => remaining)).toEqual([0, 0])
}

export const crowdedCases: readonly StoreCase[] = [
  {
    about: 'many at once',
    title:
      'one key is counted exactly, each answer with a receipt of its own, and no other key has a part in it',
    run: manyOfOneKey,
  },
  {
    about: 'many at once',
    title: 'checks, looks, penalties and blocks of one key all count',
    run: everyKindAtOnce,
  },
  {
    about: 'many at once',
    title: 'two keys in either order come to an end, and are both counted exactly',
    run: crossing,
  },
]
