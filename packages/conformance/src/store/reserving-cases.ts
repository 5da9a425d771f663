import fc from 'fast-check'
import { expect } from '../runner.ts'
import type { StoreCase } from './case.ts'
import { stepsOn } from './clock-steps.ts'
import { firstUs } from './oracle.ts'
import { runs } from './runs.ts'
import { allReservableSamples } from './samples/reservable.ts'
import type { Admission } from './samples/sample.ts'
import { playTrace } from './trace-run.ts'
import { type Trace, traces } from './traces.ts'
import type { StoreUnderTest } from './under-test.ts'

/** Each caller behind those before it, at the first µs at which every window has room, as a recount of all that was admitted finds it. */
async function letsInAsCounted(subject: StoreUnderTest, trace: Trace): Promise<void> {
  const { rules } = trace.sample
  const most = Math.min(...rules.map(({ limit }) => limit))
  const admissions: Admission[] = []
  for (const { atUs, did, asked } of await playTrace(subject, trace)) {
    if (asked === undefined || asked.check.cost === 0 || asked.check.cost > most) continue
    const { check, row, maxWaitUs } = asked
    const fromUs = Math.max(atUs, admissions.at(-1)?.atUs ?? 0)
    const fits = (us: number) => rules.every((rule) => rule.fits(admissions, fromUs + us, check.cost))
    const waitUs = fromUs - atUs + firstUs(fits)
    const allowed = waitUs <= maxWaitUs
    const expected = { allowed, waitUs: allowed ? waitUs : 0, retryAfterUs: allowed ? 0 : waitUs - maxWaitUs }
    const seen = { allowed: row.allowed, waitUs: row.waitUs, retryAfterUs: row.retryAfterUs }
    expect({ did, ...seen }).toEqual({ did, ...expected })
    if (row.receipt !== '') admissions.push({ atUs: atUs + waitUs, cost: check.cost })
  }
}

/** Whoever is let in is let in behind all before it that have not given up. */
async function keepsTheOrder(subject: StoreUnderTest, trace: Trace): Promise<void> {
  const instants = new Map<number, number>()
  for (const [nth, { atUs, did, asked, settled }] of (await playTrace(subject, trace)).entries()) {
    if (settled?.cost === 0) instants.delete(settled.of)
    if (asked === undefined || asked.row.receipt === '') continue
    const us = atUs + asked.row.waitUs
    expect({ did, passed: [...instants.values()].filter((before) => before > us) }).toEqual({
      did,
      passed: [],
    })
    instants.set(nth, us)
  }
}

/** Nobody gives back a part of what it still waits for. */
function givesUpWholly({ steps }: Trace): boolean {
  return steps.every(({ act }) => act.act !== 'settle' || act.share === 0 || act.share >= 1)
}

/** Windows whose callers reserve. */
export const reservingCases: readonly StoreCase[] = allReservableSamples.flatMap(({ strategy, samples }) => {
  const asked = traces(samples, {
    acts: ['check', 'peek', 'reserve'],
    clock: stepsOn,
    keys: 1,
    others: false,
  })
  const givenUp = traces(
    samples.filter(({ debtUs = 0 }) => debtUs > 0),
    { acts: ['check', 'reserve', 'settle'], clock: stepsOn, keys: 1, others: false },
  ).filter(givesUpWholly)
  const holds = (
    property: (subject: StoreUnderTest, trace: Trace) => Promise<void>,
    from: fc.Arbitrary<Trace>,
  ) => {
    return (subject: StoreUnderTest) =>
      fc.assert(
        fc.asyncProperty(from, (trace) => property(subject, trace)),
        runs(200, subject),
      )
  }
  return [
    {
      about: strategy,
      title: 'lets callers in one behind the other, as soon as every window has room',
      run: holds(letsInAsCounted, asked),
    },
    {
      about: strategy,
      title: 'keeps the order of its callers, also when some give up',
      run: holds(keepsTheOrder, givenUp),
    },
  ]
})
