import { describe, expect, it } from '@jest/globals'
import type { Skip } from '../store/describe-store.ts'
import type { QueueCase } from './case.ts'
import { offerCases } from './offer-cases.ts'
import { processorCases } from './processor-cases.ts'
import type { QueueFactory } from './under-test.ts'
import { workCases } from './work-cases.ts'
import { leaveAll } from './working.ts'

const queueCases: readonly QueueCase[] = [...offerCases, ...workCases, ...processorCases]
/** What another member has left is looked for once a second. */
const timeoutMs = 20_000

/** What every queue must do, written once: a new queue calls it with a factory. */
export function describeQueue(name: string, factory: QueueFactory, skips: readonly Skip[] = []): void {
  describe(name, () => {
    const unmet = new Set(skips)
    for (const about of new Set(queueCases.map((each) => each.about))) {
      describe(about, () => {
        for (const each of queueCases) {
          if (each.about !== about) continue
          const skip = skips.find(({ cases }) => `${about}: ${each.title}`.includes(cases))
          if (skip === undefined) it(each.title, () => runCase(each, factory), timeoutMs)
          else it.skip(`${each.title} (${skip.reason})`, () => {})
          if (skip !== undefined) unmet.delete(skip)
        }
      })
    }
    it('skips nothing that there is not', () => expect([...unmet]).toEqual([]))
  })
}

async function runCase({ wanted, run }: QueueCase, factory: QueueFactory): Promise<void> {
  const subject = await factory(wanted)
  try {
    // The first connection is not what a case is about.
    await subject.queue.ready()
    await run(subject)
  } finally {
    await leaveAll(subject.queue)
    await subject.close()
  }
}
