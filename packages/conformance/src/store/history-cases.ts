import fc from 'fast-check'
import { expect } from '../runner.ts'
import { askOne } from './asking.ts'
import type { StoreCase } from './case.ts'
import { stepsBothWays, stepsOn } from './clock-steps.ts'
import { Oracle } from './oracle.ts'
import { runs } from './runs.ts'
import { chosen } from './samples/chosen.ts'
import { allSamples } from './samples/list.ts'
import type { Admission, Samples } from './samples/sample.ts'
import { playTrace, TraceRun } from './trace-run.ts'
import { type Trace, traces } from './traces.ts'
import type { StoreUnderTest } from './under-test.ts'

/** Every field of every answer, counted anew from all that was ever admitted. */
async function answersAsCounted(subject: StoreUnderTest, trace: Trace): Promise<void> {
  const oracle = new Oracle(trace.sample)
  for (const { atUs, did, asked } of await playTrace(subject, trace)) {
    if (asked === undefined) continue
    const { allowed, reason, limit, remaining, retryAfterUs, resetAfterUs } = asked.row
    const seen = { did, allowed, reason, limit, remaining, retryAfterUs, resetAfterUs }
    expect(seen).toEqual({ did, ...oracle.answer(atUs, asked.check.cost, did.startsWith('check')) })
  }
}

/** What the strategy promises, counted over all that was admitted and not given back. */
export async function keepsItsPromise(subject: StoreUnderTest, trace: Trace): Promise<void> {
  const admissions = new Map<number, Admission>()
  for (const [nth, { atUs, asked, settled }] of (await playTrace(subject, trace)).entries()) {
    const charged = settled === undefined ? undefined : admissions.get(settled.of)
    if (settled !== undefined && charged !== undefined && settled.cost < charged.cost) {
      admissions.set(settled.of, { ...charged, cost: settled.cost })
    }
    if (asked === undefined || asked.row.receipt === '') continue
    // Whoever has reserved passes when its wait is over.
    const { waitUs } = asked.row
    admissions.set(nth, { atUs: atUs + waitUs, cost: asked.check.cost, waited: waitUs > 0 })
  }
  const inOrder = [...admissions.values()].sort((a, b) => a.atUs - b.atUs)
  expect(trace.sample.breach(inOrder)).toBeUndefined()
}

/** What the strategy promises of calls under one set of numbers, whatever calls with others do between them. */
async function keepsItsPromiseBesideOthers(subject: StoreUnderTest, trace: Trace): Promise<void> {
  const { policy, breach } = trace.sample
  const admissions: Admission[] = []
  for (const { atUs, asked } of await playTrace(subject, trace)) {
    if (asked === undefined || asked.row.receipt === '' || asked.check.policy !== policy) continue
    const { waitUs } = asked.row
    admissions.push({ atUs: atUs + waitUs, cost: asked.check.cost, waited: waitUs > 0 })
  }
  expect(breach(admissions.sort((a, b) => a.atUs - b.atUs))).toBeUndefined()
}

/** The longest wait that `concurrency` states, however long its leases still last: it says when to ask again, not when a place is free. */
const adviceUs = 1_000_000

/** Refused: exactly the stated wait later the same request would pass, one microsecond earlier it would not. */
export async function statedWaitsHold(subject: StoreUnderTest, trace: Trace): Promise<void> {
  const numbersChange = trace.steps.some(({ act }) => 'other' in act && act.other)
  const run = new TraceRun(subject, trace)
  for (const step of trace.steps) {
    const { atUs, did, asked } = await run.step(step)
    if (asked === undefined || asked.row.allowed || did.startsWith('peek')) continue
    const { check, row, maxWaitUs } = asked
    const look = { take: false, maxWaitUs }
    if (row.reason === 'too-costly') {
      expect(row.retryAfterUs).toBe(-1)
      continue
    }
    await subject.setClock(atUs + row.retryAfterUs - 1)
    const early = await askOne(subject.store, check, look)
    // A key that was written under other numbers may go when those let it.
    if (!numbersChange) expect({ did, reason: early.reason }).toEqual({ did, reason: row.reason })
    if (trace.sample.inFlight === true && row.retryAfterUs === adviceUs) continue
    await subject.setClock(atUs + row.retryAfterUs)
    const { allowed, reason } = await askOne(subject.store, check, look)
    // What lies behind a block shows when the block is over.
    const passes = row.reason === 'blocked' ? reason !== 'blocked' : allowed
    expect({ did, passes }).toEqual({ did, passes: true })
  }
}

/** Whoever reserves waits as long as a refusal would have stated. */
export async function waitsAsStated(subject: StoreUnderTest, trace: Trace): Promise<void> {
  const debtUs = trace.sample.debtUs ?? 0
  const run = new TraceRun(subject, trace)
  for (const step of trace.steps) {
    await run.step(step)
    const [check] = run.checks
    if (check === undefined) continue
    // Looks change nothing: they go out together, without waiting for one another.
    const look = async (cost: number) => {
      const [stated, seen] = await Promise.all([
        askOne(subject.store, { ...check, cost }, { take: false }),
        askOne(subject.store, { ...check, cost }, { take: false, maxWaitUs: debtUs }),
      ])
      const accepted = stated.allowed || (stated.reason === 'limited' && stated.retryAfterUs <= debtUs)
      expect({ allowed: seen.allowed, waitUs: seen.waitUs }).toEqual({
        allowed: accepted,
        waitUs: accepted ? stated.retryAfterUs : 0,
      })
    }
    await Promise.all([look(1), look(trace.sample.capacity)])
  }
}

function canReserve(samples: Samples['samples']): boolean {
  return fc.sample(samples, 1).some(({ policy }) => 'reserve' in policy.can)
}

function casesOf({ strategy: about, samples, withoutOracle }: Samples): StoreCase[] {
  const counted = samples.filter(({ rules }) => rules.length > 0)
  const questions = traces(counted, { acts: ['check', 'peek'], clock: stepsOn, keys: 1, others: false })
  const given = traces(samples, {
    acts: ['check', 'part', 'peek', 'reserve', 'settle'],
    clock: stepsOn,
    keys: 1,
    others: false,
  })
  const promised = traces(
    samples.filter(({ debtUs = 0 }) => debtUs > 0),
    { acts: ['reserve', 'settle'], clock: stepsOn, keys: 1, others: false },
  )
  const acts = [
    'check',
    'part',
    'peek',
    'reserve',
    'settle',
    'penalize',
    'reward',
    'set',
    'raise',
    'block',
    'unblock',
  ] as const
  const all = traces(samples, { acts, clock: stepsBothWays, keys: 1, others: false })
  const changed = traces(counted, { acts, clock: stepsBothWays, keys: 1 })
  const beside = traces(chosen(samples), {
    acts: ['check', 'part', 'peek', 'reserve', 'penalize', 'raise', 'inspect'],
    clock: stepsOn,
    keys: 1,
    others: 'often',
  })
  const holds = (
    property: (subject: StoreUnderTest, trace: Trace) => Promise<void>,
    from: fc.Arbitrary<Trace>,
    times = 100,
  ) => {
    return (subject: StoreUnderTest) =>
      fc.assert(
        fc.asyncProperty(from, (trace) => property(subject, trace)),
        runs(times, subject),
      )
  }
  return [
    ...(withoutOracle
      ? []
      : [
          {
            about,
            title: 'answers what a recount of all admissions answers',
            run: holds(answersAsCounted, questions),
          },
          {
            about,
            title: 'lets in after the stated wait when other numbers were used on the key',
            run: holds(statedWaitsHold, changed),
          },
        ]),
    {
      about,
      title: 'keeps its promise, also when random charges are given back',
      run: holds(keepsItsPromise, given),
    },
    {
      about,
      title:
        'keeps its promise to calls of the same numbers, though others are chosen for calls between them',
      run: holds(keepsItsPromiseBesideOthers, beside, 300),
    },
    ...(canReserve(samples)
      ? [
          {
            about,
            title: 'keeps its promise, also when calls are given back that reservations stand upon',
            run: holds(keepsItsPromise, promised, 500),
          },
        ]
      : []),
    { about, title: 'lets in after the stated wait and not 1 µs earlier', run: holds(statedWaitsHold, all) },
    {
      about,
      title: 'makes a reservation wait exactly as long as a refusal would state',
      run: holds(waitsAsStated, all),
    },
  ]
}

export const historyCases: readonly StoreCase[] = allSamples.flatMap(casesOf)
