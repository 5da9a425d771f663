import { afterAll, beforeAll, describe, expect, it } from '../runner.ts'
import { agreementCases } from './agreement-cases.ts'
import { atOnceCases } from './at-once-cases.ts'
import { blockForCases } from './block-for-cases.ts'
import { bookedCases } from './booked-cases.ts'
import type { StoreCase } from './case.ts'
import { chosenCases } from './chosen-cases.ts'
import { crowdedCases } from './crowded-cases.ts'
import { fairCases } from './fair-cases.ts'
import { historyCases } from './history-cases.ts'
import { lateRefundCases } from './late-refund-cases.ts'
import { levelCases } from './level-cases.ts'
import { lineCases } from './line-cases.ts'
import { questionCases } from './question-cases.ts'
import { reservingCases } from './reserving-cases.ts'
import { ruleCases } from './rule-cases.ts'
import { propertyTimeoutMs } from './runs.ts'
import { sinceCases } from './since-cases.ts'
import type { StoreFactory, StoreUnderTest } from './under-test.ts'
import { upToCases } from './up-to-cases.ts'
import { vectorCases } from './vector-cases.ts'
import { readVectors, vectorNames } from './vectors.ts'
import { zeroCases } from './zero-cases.ts'

/** What a store cannot do: every case whose `about: title` contains the text. A skip that meets no case fails. */
export interface Skip {
  readonly cases: string
  readonly reason: string
}

const storeCases: readonly StoreCase[] = [
  ...vectorNames.flatMap((name) => vectorCases(name, readVectors(name))),
  ...levelCases,
  ...crowdedCases,
  ...ruleCases,
  ...lineCases,
  ...agreementCases,
  ...zeroCases,
  ...atOnceCases,
  ...chosenCases,
  ...sinceCases,
  ...blockForCases,
  ...upToCases,
  ...fairCases,
  ...historyCases,
  ...lateRefundCases,
  ...reservingCases,
  ...bookedCases,
  ...questionCases,
]
/** What every store must do, written once: a new store calls it with a factory. */
export function describeStore(name: string, factory: StoreFactory, skips: readonly Skip[] = []): void {
  describe(name, () => {
    let subject: StoreUnderTest
    beforeAll(async () => {
      subject = await factory()
    })
    afterAll(() => subject.close())
    const unmet = new Set(skips)
    for (const about of new Set(storeCases.map((each) => each.about))) {
      describe(about, () => {
        for (const each of storeCases) {
          if (each.about !== about) continue
          const skip = skips.find(({ cases }) => `${about}: ${each.title}`.includes(cases))
          if (skip === undefined) it(each.title, () => each.run(subject), propertyTimeoutMs)
          else it.skip(`${each.title} (${skip.reason})`, () => {})
          if (skip !== undefined) unmet.delete(skip)
        }
      })
    }
    it('skips nothing that there is not', () => expect([...unmet]).toEqual([]))
  })
}
