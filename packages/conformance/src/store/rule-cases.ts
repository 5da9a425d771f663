import {
  attributedWindow,
  type Check,
  fixedWindow,
  gcra,
  type Policy,
  type Question,
  slidingWindowLog,
} from '@sluice/core'
import fc from 'fast-check'
import { expect } from '../runner.ts'
import { askAll, askOne, change, checkOf, freshKey, inspect, manage } from './asking.ts'
import type { StoreCase } from './case.ts'
import { stepsOn } from './clock-steps.ts'
import { runs } from './runs.ts'
import { allSamples } from './samples/list.ts'
import { TraceRun } from './trace-run.ts'
import { type Trace, traces } from './traces.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

function question(checks: readonly Check[]): Question {
  return { checks, charge: 'all-or-nothing', maxWaitUs: 0, take: true }
}

const threeOf: readonly Policy[] = [
  slidingWindowLog({ limit: 3, window: '10s' }),
  fixedWindow({ limit: 3, window: '10s' }),
  attributedWindow({ limit: 3, window: '10s' }),
]

/** Whatever goes together on its way, one question is decided after another. */
async function severalQuestions(subject: StoreUnderTest, policy: Policy): Promise<void> {
  const { store, setClock } = subject
  await setClock(baseUs)
  const check = checkOf(policy, freshKey())
  const asked = [check, { ...check, cost: 2 }, check, check]
  const answers = await askAll(
    subject,
    asked.map((each) => question([each])),
  )
  expect(answers.map((rows) => rows.map(({ allowed, remaining }) => [allowed, remaining]))).toEqual([
    [[true, 2]],
    [[true, 0]],
    [[false, 0]],
    [[false, 0]],
  ])
  expect((await askOne(store, { ...check, cost: 0 })).remaining).toBe(0)
  // Each has a receipt of its own: what one gives back is its own.
  const receipt = answers[1]?.[0]?.receipt ?? ''
  await change(store, [{ check: { ...check, cost: 2 }, receipt, byUnits: -2 }])
  expect((await askOne(store, { ...check, cost: 0 })).remaining).toBe(2)
}

/** Who asked in vain is remembered: no part of the policy's face. */
function remembersRefusals(policy: Policy): boolean {
  return Reflect.get(policy, 'definition').refuse !== undefined
}

export async function writesNothing(subject: StoreUnderTest, trace: Trace): Promise<void> {
  const run = new TraceRun(subject, trace)
  let before: (string | null)[] = [null, null]
  for (const step of trace.steps) {
    const { did, asked } = await run.step(step)
    const after = (await Promise.all(run.checks.map((check) => subject.stored?.(check)))).map(
      (text) => text ?? null,
    )
    const refused = asked?.row.allowed === false && !remembersRefusals(asked.check.policy)
    const looked = did.startsWith('peek') || did.startsWith('inspect') || refused
    if (looked) expect({ did, stored: after }).toEqual({ did, stored: before })
    before = after
  }
}

/** Who used a window up, for as long as it runs, behind a block too. */
async function notesWho({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const check = checkOf(attributedWindow({ limit: 4, window: '10s' }), freshKey(), {
    note: 'alex: buys\n2 tickets',
  })
  await askOne(store, { ...check, cost: 2 })
  await setClock(baseUs + 1_500_000)
  await askOne(store, { ...check, note: 'bob' })
  await askOne(store, { ...check, note: 'too much', cost: 2 })
  await change(store, [{ check: { ...check, note: 'fined' }, receipt: null, byUnits: 1 }])
  await manage(store, 'block', check, { us: 4_000_000 })
  await setClock(baseUs + 2_000_000)
  const { row, blockedUs, entries } = await inspect(store, check)
  expect({ remaining: row.remaining, resetAfterUs: row.resetAfterUs, blockedUs }).toEqual({
    remaining: 0,
    resetAfterUs: 8_000_000,
    blockedUs: 3_500_000,
  })
  expect(entries).toEqual([
    { note: 'alex: buys\n2 tickets', agoUs: 2_000_000 },
    { note: 'alex: buys\n2 tickets', agoUs: 2_000_000 },
    { note: 'bob', agoUs: 500_000 },
    { note: 'fined', agoUs: 500_000 },
  ])
  await setClock(baseUs + 10_000_000)
  expect(await inspect(store, check)).toMatchObject({ row: { remaining: 4 }, blockedUs: null, entries: [] })
}

/** Whatever keeps an entry for each unit keeps at most 100,000: what is past that is no entry later. */
async function penaltyIsBounded({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const check = checkOf(slidingWindowLog({ limit: 100_000, window: '10s' }), freshKey())
  await change(store, [{ check, receipt: null, byUnits: 60_000 }])
  await setClock(baseUs + 1_000_000)
  await change(store, [{ check, receipt: null, byUnits: 100_000_000 }])
  expect(await askOne(store, check)).toMatchObject({
    reason: 'limited',
    remaining: 0,
    retryAfterUs: 9_000_000,
  })
  await setClock(baseUs + 10_000_000)
  expect(await askOne(store, check)).toMatchObject({ allowed: true, remaining: 59_999 })
}

async function penaltyIsBoundedByEntries({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const check = checkOf(attributedWindow({ limit: 100_000, window: '10s' }), freshKey())
  await change(
    store,
    [60_000, 100_000_000, 1].map((byUnits) => ({ check, receipt: null, byUnits })),
  )
  expect((await inspect(store, check)).entries).toHaveLength(100_000)
}

type OfALimit = (options: { limit: number; window: '10s' }) => Policy

/** More than the limit would make nobody wait longer. */
async function penaltyIsCut({ store, setClock }: StoreUnderTest, make: OfALimit): Promise<void> {
  await setClock(baseUs)
  const check = checkOf(make({ limit: 3, window: '10s' }), freshKey())
  await change(store, [{ check, receipt: null, byUnits: 100_000_000 }])
  await setClock(baseUs + 1_000_000)
  expect(await askOne(store, check)).toMatchObject({ reason: 'limited', retryAfterUs: 9_000_000 })
  await change(store, [{ check, receipt: null, byUnits: -1002, reward: true }])
  expect(await askOne(store, { ...check, cost: 2 })).toMatchObject({ allowed: true, remaining: 0 })
}

/** What a look has put right behind a block is right when the block is gone. */
async function inspectKeepsRepairs({ store, setClock }: StoreUnderTest): Promise<void> {
  const check = checkOf(gcra({ count: 2, period: '2s', maxDebt: 0 }), freshKey())
  await setClock(baseUs)
  await askOne(store, { ...check, cost: 2 })
  const hourAgoUs = baseUs - 3_600_000_000
  await setClock(hourAgoUs)
  await manage(store, 'block', check, { us: 60_000_000 })
  expect((await inspect(store, check)).row.resetAfterUs).toBe(2_000_000)
  await setClock(hourAgoUs + 1_500_000)
  expect((await inspect(store, check)).row.resetAfterUs).toBe(500_000)
  await manage(store, 'unblock', check)
  expect(await askOne(store, check)).toMatchObject({ allowed: true, resetAfterUs: 1_500_000 })
}

/** Costs of many units, up to the most that is ever kept. */
async function manyEntries(
  { store, setClock }: StoreUnderTest,
  make: (options: { limit: number; window: '10m' }) => Policy,
  limit: number,
): Promise<void> {
  const part = 0.41 * limit + 1
  await setClock(baseUs)
  const check = checkOf(make({ limit, window: '10m' }), freshKey())
  const first = await askOne(store, { ...check, cost: part })
  expect(first).toMatchObject({ allowed: true, remaining: limit - part })
  await setClock(baseUs + 1)
  expect(await askOne(store, { ...check, cost: limit - part })).toMatchObject({ allowed: true, remaining: 0 })
  expect(await askOne(store, check)).toMatchObject({ reason: 'limited', retryAfterUs: 599_999_999 })
  await change(store, [{ check: { ...check, cost: part }, receipt: first.receipt, byUnits: 2 - part }])
  expect(await askOne(store, { ...check, cost: part - 1 })).toMatchObject({
    reason: 'limited',
    remaining: part - 2,
  })
  expect(await askOne(store, { ...check, cost: part - 2 })).toMatchObject({ allowed: true, remaining: 0 })
  expect(await askOne(store, { ...check, cost: limit + 1 })).toMatchObject({
    reason: 'too-costly',
    retryAfterUs: -1,
  })
}

/** A decision may be corrected once the key is unknown: reset, expired, never there. */
export async function nothingToGiveBack(subject: StoreUnderTest, trace: Trace): Promise<void> {
  const { store } = subject
  const run = new TraceRun(subject, trace)
  for (const step of trace.steps) {
    const { asked } = await run.step(step)
    if (asked === undefined || asked.row.receipt === '') continue
    await manage(store, 'reset', asked.check)
    await change(store, [{ check: asked.check, receipt: asked.row.receipt, byUnits: -asked.check.cost }])
    const fresh = await askOne(store, { ...asked.check, key: freshKey(), cost: 0 })
    expect((await inspect(store, asked.check)).row).toMatchObject({
      remaining: fresh.remaining,
      resetAfterUs: fresh.resetAfterUs,
    })
  }
}

const counted = allSamples.map(({ strategy, samples, withoutOracle }) => ({
  about: strategy,
  samples: withoutOracle ? samples : samples.filter(({ rules }) => rules.length > 0),
}))

export const ruleCases: readonly StoreCase[] = [
  ...counted.flatMap(({ about, samples }): StoreCase[] => {
    const acts = ['check', 'peek', 'settle', 'penalize', 'reward', 'set', 'raise', 'inspect'] as const
    const histories = traces(samples, { acts, clock: stepsOn, keys: 2, others: false })
    const asks = traces(samples, { acts: ['check'], clock: stepsOn, keys: 1, others: false })
    const holds = (
      property: (subject: StoreUnderTest, trace: Trace) => Promise<void>,
      from: fc.Arbitrary<Trace>,
    ) => {
      return (subject: StoreUnderTest) =>
        fc.assert(
          fc.asyncProperty(from, (trace) => property(subject, trace)),
          runs(30, subject),
        )
    }
    return [
      {
        about,
        title: 'a refusal, a peek and an inspect write nothing',
        run: holds(writesNothing, histories),
      },
      { about, title: 'gives nothing back to a key that was reset', run: holds(nothingToGiveBack, asks) },
    ]
  }),
  ...threeOf.map((policy) => ({
    about: policy.strategy,
    title: 'questions are decided one after another, each with a receipt of its own',
    run: (subject: StoreUnderTest) => severalQuestions(subject, policy),
  })),
  {
    about: 'slidingWindowLog',
    title: 'a penalty of a hundred million units is bounded',
    run: penaltyIsBounded,
  },
  {
    about: 'attributedWindow',
    title: 'a penalty of a hundred million units is bounded',
    run: penaltyIsBoundedByEntries,
  },
  {
    about: 'gcra',
    title: 'an inspect behind a block puts right what the clock has done',
    run: inspectKeepsRepairs,
  },
  ...[slidingWindowLog, attributedWindow].map((make) => ({
    about: make.name,
    title: 'a penalty counts for a thousand more than the limit, and no more',
    run: (subject: StoreUnderTest) => penaltyIsCut(subject, make),
  })),
  ...[slidingWindowLog, attributedWindow].map((make) => ({
    about: make.name,
    title: 'as many entries as there may be, many at once',
    // A tenth, where another suite plays it in full.
    run: (subject: StoreUnderTest) =>
      manyEntries(subject, make, (subject.share ?? 1) < 0.5 ? 10_000 : 100_000),
  })),
  { about: 'attributedWindow', title: 'notes who used the window up', run: notesWho },
]
