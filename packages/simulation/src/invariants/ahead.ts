import type { Said } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

const ofMany = /^ahead:\d+:/

/** When the latest take was sent that a unit can be of, by its process. */
function sentUs(
  { record }: World,
  { name, receipt }: Said,
  usedBy: { process: number; atUs: number },
): number {
  const own = String(receipt).replace(ofMany, '')
  let latestUs = Number.NEGATIVE_INFINITY
  for (const { process, key, sent, receipt: taken, ranUs } of record.takes) {
    const isOwn = process === usedBy.process && key === name && ranUs <= usedBy.atUs
    if (isOwn && String(taken).replace(/^@\d+@/, '') === own.replace(/^@\d+@/, ''))
      latestUs = Math.max(latestUs, sent.sentUs)
  }
  return latestUs
}

/** What was taken ahead is used within its lease, and is given back when that is over. */
export const aheadForALease: Invariant = {
  name: 'units taken ahead are used and given back within their lease',
  *breaches(world) {
    const { record, closingUs, plan } = world
    const leaseUs = plan.scenario.aheadMs * 1000
    if (leaseUs === 0) return
    for (const call of record.calls) {
      const { askedUs, answeredUs, answer } = call
      // Who is answered at once is given what is in hand.
      if (answeredUs !== askedUs || answer?.allowed !== true) continue
      for (const said of answer.said) {
        if (!ofMany.test(String(said.receipt))) continue
        const lateUs = askedUs - sentUs(world, said, { process: call.plan.process, atUs: askedUs }) - leaseUs
        if (lateUs > 0) yield `${lateUs} µs too late: ${shown(call)}`
      }
    }
    for (const { process, key, atUs, units } of record.gives)
      if (atUs >= closingUs) yield `process ${process} had ${units} of ${key} in hand until it closed`
  },
}
