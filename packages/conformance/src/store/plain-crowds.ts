import type { Check } from '@sluice/core'
import fc from 'fast-check'
import { askAll, change, checkOf, factsOf, freshKey } from './asking.ts'
import { type ClockStep, HistoryClock, stepsOn } from './clock-steps.ts'
import type { Sample } from './samples/sample.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

interface Crowd {
  readonly clock: ClockStep
  /** One of two keys, and how many callers in a row ask for it. */
  readonly asked: readonly { readonly key: number; readonly times: number }[]
  /** Which charge is given back first, where there is one. */
  readonly refund: number | undefined
}

export interface PlainCrowds {
  readonly sample: Sample
  readonly crowds: readonly Crowd[]
}

/** Many callers at once, each of whom asks one policy for one unit: what a store may decide together. */
export function plainCrowds(samples: fc.Arbitrary<Sample>): fc.Arbitrary<PlainCrowds> {
  const asked = fc.record({ key: fc.nat(1), times: fc.constantFrom(1, 1, 2, 3, 20) })
  return fc.record({
    sample: samples,
    crowds: fc.array(
      fc.record({
        clock: stepsOn,
        asked: fc.array(asked, { minLength: 1, maxLength: 4 }),
        refund: fc.option(fc.nat(20), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  })
}

/** Plays them on keys of their own; answers all rows. */
export async function playPlainCrowds(
  subject: StoreUnderTest,
  { sample: { policy, spanUs }, crowds }: PlainCrowds,
): Promise<unknown[]> {
  const keys = [freshKey(), freshKey()]
  const clock = new HistoryClock(baseUs, spanUs)
  const open: { check: Check; receipt: string | number }[] = []
  const seen: unknown[] = []
  for (const { clock: by, asked, refund } of crowds) {
    await subject.setClock(clock.step(by))
    const [charge] = refund === undefined ? [] : open.splice(refund % Math.max(1, open.length), 1)
    if (charge !== undefined) await change(subject.store, [{ ...charge, byUnits: -1 }])
    const checks = asked.flatMap(({ key, times }) =>
      Array.from({ length: times }, () => checkOf(policy, keys[key] ?? '')),
    )
    const questions = checks.map((check) => {
      return { checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: true } as const
    })
    const rows = (await askAll(subject, questions)).flat()
    clock.stated(Math.max(0, ...rows.map(({ retryAfterUs }) => retryAfterUs)))
    for (const [i, check] of checks.entries()) {
      const { receipt = '' } = rows[i] ?? {}
      if (receipt !== '') open.push({ check, receipt })
    }
    seen.push({ atUs: clock.nowUs, rows: rows.map(factsOf) })
  }
  return seen
}
