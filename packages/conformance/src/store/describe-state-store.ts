import { afterAll, beforeAll, describe, it } from '../runner.ts'
import { describeStore, type Skip } from './describe-store.ts'
import { type StatesUnderTest, statesUnderTest } from './state-under-test.ts'
import { transactCases } from './transact-cases.ts'

/**
 * What every `stateStore` must do: its `transact` by itself, and then all that every store must do, on a clock that the suite moves.
 *
 * @example describeStateStore('my table', async () => ({ transact }))
 */
export function describeStateStore(
  name: string,
  open: () => Promise<StatesUnderTest>,
  skips: readonly Skip[] = [],
): void {
  describe(`${name}: transact`, () => {
    let subject: StatesUnderTest
    beforeAll(async () => {
      subject = await open()
    })
    afterAll(() => subject.close?.())
    for (const { title, run } of transactCases) it(title, () => run(subject.transact))
  })
  describeStore(name, () => statesUnderTest(open), skips)
}
