import {
  type Check,
  fixedWindow,
  type Policy,
  type StoreRow,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core'
import fc from 'fast-check'
import { everyCount } from '../every-strategy.ts'
import { expect } from '../runner.ts'
import { ask, askOne, change, checkOf, freshKey, manage } from './asking.ts'
import type { StoreCase } from './case.ts'
import { stepsBothWays } from './clock-steps.ts'
import { runs } from './runs.ts'
import { allSamples } from './samples/list.ts'
import type { Samples } from './samples/sample.ts'
import { TraceRun } from './trace-run.ts'
import { type Trace, traces } from './traces.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

const second = 1_000_000
const { uniform: _requests, ...policies } = everyCount(10, '10s')

const take = (store: StoreUnderTest['store'], check: Check, cost: number): Promise<StoreRow> =>
  askOne(store, { ...check, cost }, { upTo: cost })

async function takesWhatFits({ store, setClock }: StoreUnderTest, policy: Policy): Promise<void> {
  await setClock(baseUs)
  const check = checkOf(policy, freshKey())
  await askOne(store, { ...check, cost: 3 })
  // Less than there is, all that there is, and then not even one.
  expect(await take(store, check, 2)).toMatchObject({ allowed: true, taken: 2, remaining: 5 })
  expect(await take(store, check, 50)).toMatchObject({
    allowed: true,
    taken: 5,
    remaining: 0,
    retryAfterUs: 0,
  })
  const refused = await take(store, check, 50)
  expect(refused).toMatchObject({ allowed: false, reason: 'limited', receipt: '' })
  await setClock(baseUs + refused.retryAfterUs - 1)
  expect(await take(store, check, 50)).toMatchObject({ allowed: false })
  await setClock(baseUs + refused.retryAfterUs)
  expect(await take(store, check, 1)).toMatchObject({ allowed: true, taken: 1 })
}

/** What was taken goes back as a whole, and so does a part of it. */
async function givesBackWhatItTook({ store, setClock }: StoreUnderTest, policy: Policy): Promise<void> {
  await setClock(baseUs)
  const check = checkOf(policy, freshKey())
  const { receipt, taken = 0 } = await take(store, check, 50)
  const charged = { ...check, cost: taken }
  await change(store, [{ check: charged, receipt, byUnits: -4 }])
  expect(await take(store, check, 50)).toMatchObject({ taken: 4 })
  const other = checkOf(policy, freshKey())
  const second = await take(store, other, 50)
  await change(store, [
    { check: { ...other, cost: second.taken ?? 0 }, receipt: second.receipt, byUnits: -10 },
  ])
  expect(await take(store, other, 50)).toMatchObject({ taken: 10 })
}

const bucket = tokenBucket({ capacity: 8, count: 8, period: '8s' })
const log = slidingWindowLog({ limit: 5, window: '10s' })
const windows = fixedWindow({ limit: 3, window: '10s' })

/** Of policies in any order, those with the least room say how many; one that costs nothing has no say. */
async function takesAsManyOfAll({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  for (const order of [
    [bucket, log, windows],
    [windows, log, bucket],
    [log, windows, bucket],
  ]) {
    const key = freshKey()
    const checks = order.map((policy) => checkOf(policy, key, { cost: 50 }))
    const rows = await ask(store, checks, { upTo: 50 })
    expect(rows.map(({ taken }) => taken)).toEqual([3, 3, 3])
    const again = await ask(store, checks, { upTo: 50 })
    expect(again.map(({ taken = 0, receipt }) => [taken, receipt])).toEqual([
      [0, ''],
      [0, ''],
      [0, ''],
    ])
    expect(again.map(({ allowed, remaining }) => [allowed, remaining])).toEqual(
      order.map(({ limit }) => [limit > 3, limit - 3]),
    )
    const free = order.map((policy) => checkOf(policy, key, { cost: policy === windows ? 0 : 50 }))
    const beside = await ask(store, free, { upTo: 50 })
    expect(beside.map(({ taken = 0 }) => taken)).toEqual(order.map((policy) => (policy === windows ? 0 : 2)))
  }
}

/** It has as many as the others, or none where that is too many; it keeps nobody from taking. */
async function isNotBoundByShadows({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const key = freshKey()
  const checks = [checkOf(log, key, { cost: 4 }), checkOf(windows, key, { cost: 4, shadow: true })]
  const rows = await ask(store, checks, { upTo: 4 })
  expect(rows.map(({ allowed, taken = 0 }) => [allowed, taken])).toEqual([
    [true, 4],
    [false, 0],
  ])
  const next = await ask(store, checks, { upTo: 4 })
  expect(next.map(({ allowed, taken = 0 }) => [allowed, taken])).toEqual([
    [true, 1],
    [true, 1],
  ])
}

/** Steps of several units, as of policies whose units differ. */
async function takesWholeSteps({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const key = freshKey()
  const fine = checkOf(fixedWindow({ limit: 35, window: '10s' }), key, { cost: 60 })
  const coarse = checkOf(log, key, { cost: 6 })
  const rows = await ask(store, [fine, coarse], { upTo: 6 })
  expect(rows.map(({ taken }) => taken)).toEqual([30, 3])
  const [limited] = await ask(store, [fine, coarse], { upTo: 6 })
  expect(limited).toMatchObject({ allowed: false, reason: 'limited', remaining: 5, receipt: '' })
}

async function meetsBlocks({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const check = checkOf(log, freshKey(), { cost: 50 })
  await manage(store, 'block', check, { us: 2 * second })
  expect(await take(store, check, 50)).toMatchObject({ reason: 'blocked', retryAfterUs: 2 * second })
  await setClock(baseUs + 2 * second)
  expect(await take(store, check, 50)).toMatchObject({ allowed: true, taken: 5 })
}

/** A part is no refusal; where not even one fits, the policy blocks the key. */
async function blocksWhereNothingFits({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const check = checkOf(fixedWindow({ limit: 3, window: '1s', blockFor: '10s' }), freshKey())
  expect(await take(store, check, 50)).toMatchObject({ allowed: true, taken: 3 })
  expect(await take(store, check, 50)).toMatchObject({ reason: 'blocked', retryAfterUs: 10 * second })
}

/** After whatever has happened to a key: what is said to remain can be taken, and one more cannot. */
async function remainingFits(subject: StoreUnderTest, trace: Trace): Promise<void> {
  const { store } = subject
  const run = new TraceRun(subject, trace)
  for (const step of trace.steps) {
    await run.step(step)
    const [check] = run.checks
    if (check === undefined) continue
    const look = (cost: number) => askOne(store, { ...check, cost }, { take: false })
    const { remaining, reason } = await look(0)
    if (reason !== null) continue
    const [all, more] = await Promise.all([look(remaining), look(remaining + 1)])
    expect({ remaining, all: all.allowed, more: more.allowed }).toEqual({ remaining, all: true, more: false })
  }
}

const acts = ['check', 'part', 'settle', 'penalize', 'reward', 'set', 'raise', 'block'] as const

function remainingCases({ strategy: about, samples }: Samples): StoreCase[] {
  if (policies[about] === undefined) return []
  const histories = traces(samples, { acts, clock: stepsBothWays, keys: 1 })
  return [
    {
      about,
      title: 'has room for what remains, and for no more',
      run: (subject) =>
        fc.assert(
          fc.asyncProperty(histories, (trace) => remainingFits(subject, trace)),
          runs(100, subject),
        ),
    },
  ]
}

const cases: readonly StoreCase[] = [
  ...Object.entries(policies).flatMap(([about, policy]): StoreCase[] => [
    {
      about,
      title: 'takes as many units as fit, and is refused until one fits',
      run: (subject) => takesWhatFits(subject, policy),
    },
    {
      about,
      title: 'gives back what it took of a cost',
      run: (subject) => givesBackWhatItTook(subject, policy),
    },
  ]),
  ...allSamples.flatMap(remainingCases),
  {
    about: 'several policies',
    title: 'take as many units of all as all have room for',
    run: takesAsManyOfAll,
  },
  {
    about: 'several policies',
    title: 'take as many as fit beside a shadow policy',
    run: isNotBoundByShadows,
  },
  { about: 'several policies', title: 'take whole steps where their units differ', run: takesWholeSteps },
  { about: 'slidingWindowLog', title: 'takes no part of a cost while it is blocked', run: meetsBlocks },
  { about: 'blockFor', title: 'blocks no key of which a part was taken', run: blocksWhereNothingFits },
]

/** A store that takes no part of a cost says so by `can`. */
export const upToCases: readonly StoreCase[] = cases.map(({ about, title, run }) => ({
  about,
  title,
  run: async (subject) => {
    if (subject.store.can?.includes('upTo') === true) await run(subject)
  },
}))
