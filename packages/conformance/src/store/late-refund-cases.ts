import { type Check, type Policy, type StoreRow, tokenBucket } from '@sluice/core'
import fc from 'fast-check'
import { everyStrategy } from '../every-strategy.ts'
import { expect } from '../runner.ts'
import { askOne, change, checkOf, freshKey } from './asking.ts'
import type { StoreCase } from './case.ts'
import { type ClockStep, HistoryClock, stepsOn } from './clock-steps.ts'
import { runs } from './runs.ts'
import { allSamples } from './samples/list.ts'
import type { Admission, Sample, Samples } from './samples/sample.ts'
import { playTrace } from './trace-run.ts'
import { type Trace, traces } from './traces.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

const second = 1_000_000
const slipUs = 1000

/** A minute before the numbers were changed, an hour since: what is given back of before makes nobody's hour a minute. */
async function leavesALongerWindow(
  { store, setClock }: StoreUnderTest,
  brief: Policy,
  long: Policy,
): Promise<void> {
  const before = checkOf(brief, freshKey())
  const since = { ...before, policy: long }
  await setClock(baseUs)
  const { receipt } = await askOne(store, before)
  // The old window is over, but for that of a strategy that counts two.
  await setClock(baseUs + 121 * second)
  for (let i = 0; i < 4; i++) await askOne(store, since)
  const { allowed, retryAfterUs } = await askOne(store, since)
  expect(allowed).toBe(false)
  await change(store, [{ check: before, receipt, byUnits: -1 }])
  expect(await askOne(store, since)).toMatchObject({ allowed: false, retryAfterUs })
  await setClock(baseUs + 121 * second + retryAfterUs - 1)
  expect(await askOne(store, since)).toMatchObject({ allowed: false, retryAfterUs: 1 })
}

/** A small bucket was charged, a large one takes its place and is kept for longer: no less long for what the small one gives back. */
async function livesOn({ store, setClock }: StoreUnderTest): Promise<void> {
  const bucketOf = (capacity: number) => tokenBucket({ capacity, count: 1, period: '1s', start: 'empty' })
  const small = checkOf(bucketOf(2), freshKey(), { cost: 2 })
  const large = { ...small, policy: bucketOf(100), cost: 1 }
  await setClock(baseUs)
  await askOne(store, small)
  await setClock(baseUs + 2 * second)
  const { receipt } = await askOne(store, small)
  await setClock(baseUs + 3 * second)
  await askOne(store, large)
  await change(store, [{ check: small, receipt, byUnits: -1 }])
  // Forgotten it would be empty again.
  await setClock(baseUs + 190 * second)
  expect(await askOne(store, large, { take: false })).toMatchObject({ allowed: true, remaining: 100 })
}

/** A full bucket becomes one of half its size, so that one of its two charges is cut off: nobody knows which, and neither is given back. */
async function givesNothingThatWasCutOff(
  { store, setClock }: StoreUnderTest,
  start: 'full' | 'empty',
): Promise<void> {
  const bucketOf = (capacity: number) =>
    tokenBucket({ capacity, count: 1, period: '1s', start, maxDebt: '1ms' })
  const large = checkOf(bucketOf(2), freshKey())
  const small = { ...large, policy: bucketOf(1) }
  await setClock(baseUs)
  await askOne(store, { ...large, cost: 2 })
  await setClock(baseUs + 2 * second)
  const { receipt } = await askOne(store, large)
  expect(await askOne(store, large)).toMatchObject({ allowed: true, remaining: 0 })
  expect(await askOne(store, small)).toMatchObject({ allowed: false })
  await change(store, [{ check: large, receipt, byUnits: -1 }])
  await setClock(baseUs + 3 * second - 1)
  expect(await askOne(store, small)).toMatchObject({ allowed: false })
  await setClock(baseUs + 3 * second + slipUs)
  expect(await askOne(store, small)).toMatchObject({ allowed: true })
}

/** One key, asked under the other numbers, until they are changed, and then under the sample's own. */
interface Changed {
  readonly sample: Sample
  readonly before: readonly Asked[]
  readonly since: readonly Asked[]
  /** Which of those before is given back, and behind which of those since. */
  readonly extra: number
  readonly after: number
  readonly part: number
}

interface Asked {
  readonly clock: ClockStep
  readonly share: number
}

const asked = fc.record({ clock: stepsOn, share: fc.constantFrom(0.01, 0.01, 0.4, 0.7, 1) })

function changedKeys(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Changed> {
  return fc
    .record({
      sample: samples,
      before: fc.array(asked, { minLength: 2, maxLength: 4 }),
      since: fc.array(asked, { minLength: 1, maxLength: 6 }),
      extra: fc.nat(2),
      after: fc.nat(5),
      part: fc.constantFrom(0.5, 1, 1),
    })
    .map((changed) => ({ ...changed, [fc.toStringMethod]: () => readable(changed) }))
}

function readable({ sample: { policy, other }, ...rest }: Changed): string {
  return `${Reflect.get(other, 'value')}, then ${Reflect.get(policy, 'value')}\n${JSON.stringify(rest)}`
}

/** Beside a key to which the same was given back at once, before the numbers were changed: no caller of the other one waits less. */
async function letsNobodyInSooner({ store, setClock }: StoreUnderTest, changed: Changed): Promise<void> {
  const { sample, before, since, extra, after, part } = changed
  const clock = new HistoryClock(baseUs, sample.spanUs)
  const late = checkOf(sample.policy, freshKey())
  const atOnce = { ...late, key: freshKey() }
  const costOf = (share: number) => Math.ceil(share * (sample.countsRequests === true ? 3 : sample.capacity))
  const both = async (about: Partial<Check>, take: boolean) => {
    const row = await askOne(store, { ...late, ...about }, { take })
    return [row, await askOne(store, { ...atOnce, ...about }, { take })] as const
  }
  const refund = async (check: Check, { receipt }: StoreRow) => {
    const units = sample.inFlight === true ? check.cost : Math.ceil(part * check.cost)
    await change(store, [{ check, receipt, byUnits: -units }])
  }
  let open: (() => Promise<void>) | undefined
  for (const [nth, { clock: step, share }] of before.entries()) {
    await setClock(clock.step(step))
    const about = { policy: sample.other, cost: costOf(share) }
    const [one, other] = await both(about, true)
    if (one.allowed !== other.allowed) return
    if (nth !== extra % before.length || one.receipt === '') continue
    await refund({ ...atOnce, ...about }, other)
    open = () => refund({ ...late, ...about }, one)
  }
  for (const [nth, { clock: step, share }] of since.entries()) {
    await setClock(clock.step(step))
    if (nth === after % since.length) await open?.()
    // Looks change nothing: they go out together.
    const costs = [1, Math.max(1, sample.capacity)]
    const looks = await Promise.all(costs.map((cost) => both({ cost }, false)))
    for (const [i, [one, other]] of looks.entries()) {
      const cost = costs[i]
      // What lies less than a slip too far ahead is not repaired.
      const sooner = one.retryAfterUs >= 0 && one.retryAfterUs < other.retryAfterUs - slipUs
      expect({ nth, cost, sooner }).toEqual({ nth, cost, sooner: false })
    }
    const [one, other] = await both({ cost: costOf(share) }, true)
    if (one.allowed !== other.allowed) return
  }
}

/** Under the new numbers no more pass than these promise, whatever was charged before them and is given back. */
async function keepsItsPromiseAfterAChange(subject: StoreUnderTest, trace: Trace): Promise<void> {
  const { policy, breach } = trace.sample
  const admissions = new Map<number, Admission>()
  for (const [nth, { atUs, asked, settled }] of (await playTrace(subject, trace)).entries()) {
    const charged = settled && admissions.get(settled.of)
    if (settled !== undefined && charged !== undefined)
      admissions.set(settled.of, { ...charged, cost: Math.min(charged.cost, settled.cost) })
    if (asked === undefined || asked.row.receipt === '' || asked.check.policy !== policy) continue
    const { waitUs } = asked.row
    admissions.set(nth, { atUs: atUs + waitUs, cost: asked.check.cost, waited: waitUs > 0 })
  }
  expect(breach([...admissions.values()].sort((a, b) => a.atUs - b.atUs))).toBeUndefined()
}

/** The other numbers at first, and from some step on the policy's own. What is settled comes to less. */
function changedOnce(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Trace> {
  const any = traces(samples, { acts: ['check', 'part', 'settle'], clock: stepsOn, keys: 1, others: false })
  return fc.tuple(any, fc.nat(8)).map(([trace, changeAt]) => ({
    ...trace,
    steps: trace.steps.map((step, nth) => {
      const { act } = step
      if ('other' in act && act.act !== 'reserve') return { ...step, act: { ...act, other: nth < changeAt } }
      if (act.act === 'settle') return { ...step, act: { ...act, share: Math.min(1, act.share) } }
      return step
    }),
  }))
}

const [minutely, hourly] = [everyStrategy(3, '1m'), everyStrategy(3, '1h')]

function casesOf({ strategy: about, samples }: Samples): StoreCase[] {
  return [
    {
      about,
      title: 'lets nobody in sooner for what was charged under other numbers and is given back',
      run: (subject) =>
        fc.assert(
          fc.asyncProperty(changedKeys(samples), (changed) => letsNobodyInSooner(subject, changed)),
          runs(300, subject),
        ),
    },
    {
      about,
      title: 'keeps its promise, whatever was charged under other numbers before and is given back',
      run: (subject) =>
        fc.assert(
          fc.asyncProperty(changedOnce(samples), (trace) => keepsItsPromiseAfterAChange(subject, trace)),
          runs(300, subject),
        ),
    },
  ]
}

/** Refunds that come after the numbers have changed. */
export const lateRefundCases: readonly StoreCase[] = [
  ...Object.entries(hourly).flatMap(([name, long]) => {
    const brief: Policy | undefined = Reflect.get(minutely, name)
    return brief === undefined || name === 'concurrency'
      ? []
      : [
          {
            about: name,
            title:
              'an hour since the numbers were changed stays one, though a minute of before is given back',
            run: (subject: StoreUnderTest) => leavesALongerWindow(subject, brief, long),
          },
        ]
  }),
  {
    about: 'tokenBucket',
    title: 'a bucket that started empty lives on as long, though a smaller one that it was gives back',
    run: livesOn,
  },
  ...(['full', 'empty'] as const).map((start) => ({
    about: 'tokenBucket',
    title: `what a smaller bucket has cut off is given back out of nothing that is left (start: ${start})`,
    run: (subject: StoreUnderTest) => givesNothingThatWasCutOff(subject, start),
  })),
  ...allSamples.flatMap(casesOf),
]
