import { everyStrategy } from '../every-strategy.ts'
import { expect } from '../runner.ts'
import { ask, askOne, change, checkOf, freshKey, inspect, manage } from './asking.ts'
import type { StoreCase } from './case.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

const second = 1_000_000
const some = everyStrategy(3, '10s')
const none = everyStrategy(0, '10s')
type Name = keyof typeof none

/** A gate has an interval and no limit. */
const names = (Object.keys(none) as Name[]).filter((name) => none[name].limit === 0) // its own names

const refused = {
  allowed: false,
  reason: 'too-costly',
  limit: 0,
  remaining: 0,
  retryAfterUs: -1,
  receipt: '',
}

/** Also after it was reset, penalized, and waited for. */
async function refusesAll({ store, setClock }: StoreUnderTest, name: Name): Promise<void> {
  await setClock(baseUs)
  const check = checkOf(none[name], freshKey())
  expect(await askOne(store, check)).toMatchObject(refused)
  expect(await askOne(store, check, { maxWaitUs: 60 * second })).toMatchObject(refused)
  expect(await askOne(store, check, { take: false })).toMatchObject(refused)
  expect(await askOne(store, { ...check, cost: 0 })).toMatchObject({ allowed: true, limit: 0, remaining: 0 })
  expect((await inspect(store, check)).row).toMatchObject({ limit: 0, remaining: 0 })
  if ('penalize' in check.policy.can) await change(store, [{ check, receipt: null, byUnits: 2 }])
  await setClock(baseUs + 3600 * second)
  expect(await askOne(store, check)).toMatchObject(refused)
  await manage(store, 'reset', check)
  expect(await askOne(store, check)).toMatchObject(refused)
}

/** What other numbers have counted on the key, and what another policy of the question would take, stays as it is. */
async function takesNothing({ store, setClock }: StoreUnderTest, name: Name): Promise<void> {
  await setClock(baseUs)
  const key = freshKey()
  const check = checkOf(some[name], key)
  const beside = checkOf(some.uniform, key)
  const { remaining } = await askOne(store, check)
  const rows = await ask(store, [{ ...check, policy: none[name] }, beside])
  expect(rows.map(({ allowed }) => allowed)).toEqual([false, true])
  expect(await askOne(store, beside)).toMatchObject({ allowed: true })
  expect(await askOne(store, { ...check, cost: 0 })).toMatchObject({ remaining })
}

/** A wait that the next call has anyway is not stored, so a clock that steps back finds nothing. */
async function storesNoWait({ store, setClock }: StoreUnderTest, name: Name): Promise<void> {
  await setClock(baseUs)
  const check = checkOf(none[name], freshKey())
  await change(store, [{ check, receipt: null, byUnits: 0, atLeastUs: 1000 }])
  for (const backUs of [1, second]) {
    await setClock(baseUs - backUs)
    expect((await inspect(store, check)).row).toMatchObject({ resetAfterUs: 0 })
  }
}

/** Strategies that can store a wait. */
const storing: readonly Name[] = ['gcra', 'leakyBucket', 'tokenBucket']

/** A limit, a count or a capacity of 0: a plan without the feature, a switch that turns it off. */
export const zeroCases: readonly StoreCase[] = names.flatMap((name): StoreCase[] => [
  { about: name, title: 'with a limit of 0 refuses all', run: (subject) => refusesAll(subject, name) },
  {
    about: name,
    title: 'with a limit of 0 takes nothing of what other numbers count, nor of another policy',
    run: (subject) => takesNothing(subject, name),
  },
  ...(storing.includes(name)
    ? [
        {
          about: name,
          title: 'with a limit of 0 stores no wait',
          run: (subject: StoreUnderTest) => storesNoWait(subject, name),
        },
      ]
    : []),
])
