import type { Said, TakeRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

const ofMany = /^ahead:\d+:/

/** The latest take ahead of a process that a unit can be of; undefined: the unit was not taken ahead. */
export function takenAhead(
  { record }: World,
  { name, receipt }: Said,
  usedBy: { process: number; atUs: number },
): TakeRecord | undefined {
  if (!ofMany.test(String(receipt))) return undefined
  const own = String(receipt).replace(ofMany, '')
  let latest: TakeRecord | undefined
  for (const take of record.takes) {
    const { process, key, sent, receipt: taken, ranUs } = take
    const isOwn = process === usedBy.process && key === name && ranUs <= usedBy.atUs
    if (!isOwn || String(taken).replace(/^@\d+@/, '') !== own.replace(/^@\d+@/, '')) continue
    if (latest === undefined || sent.sentUs > latest.sent.sentUs) latest = take
  }
  return latest
}

/** Units that were taken ahead are used within their lease, and are given back when that is over. */
export const aheadForALease: Invariant = {
  name: 'units taken ahead are used and given back within their lease',
  *breaches(world) {
    const { record, closingUs, plan } = world
    const leaseUs = plan.scenario.aheadMs * 1000
    if (leaseUs === 0) return
    for (const call of record.calls) {
      const { askedUs, answeredUs, answer } = call
      // A caller that is answered at once gets units that its process has in hand.
      if (answeredUs !== askedUs || answer?.allowed !== true) continue
      for (const said of answer.said) {
        if (!ofMany.test(String(said.receipt))) continue
        const take = takenAhead(world, said, { process: call.plan.process, atUs: askedUs })
        const lateUs = askedUs - (take?.sent.sentUs ?? Number.NEGATIVE_INFINITY) - leaseUs
        if (lateUs > 0) yield `${lateUs} µs too late: ${shown(call)}`
      }
    }
    for (const { process, key, atUs, units } of record.gives)
      if (atUs >= closingUs) yield `process ${process} had ${units} of ${key} in hand until it closed`
  },
}
