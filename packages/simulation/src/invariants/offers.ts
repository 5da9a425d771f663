import { factsOf, stillUs } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** How late timers may be. */
const timerUs = 25_000

/** An offer is answered within its deadline, and one that was not answered by then is not taken later. */
export const offersInTime: Invariant = {
  name: 'an offer is answered in time, and taken in time',
  *breaches(world) {
    const { record, processes, plan } = world
    const deadlineUs = plan.scenario.deadlineMs * 1000
    for (const { plan: job, askedUs, answeredUs, answer } of record.offers) {
      if (processes[job.process]?.machine.dead !== false) continue
      const about = `job ${job.nth}, offered by process ${job.process} at ${askedUs}`
      if (answeredUs === undefined || answer === undefined) {
        yield `never answered: ${about}`
        continue
      }
      const pauseUs = stillUs(world, job.process, askedUs - deadlineUs, answeredUs)
      const lateUs = answeredUs - askedUs - deadlineUs - timerUs - 2 * pauseUs
      if (lateUs > 0) yield `${lateUs} µs too late: ${about}`
    }
    if (factsOf(world).clockSteps > 0) return
    for (const { kind, process, ranUs, sent, ticket } of record.entries) {
      const { sentUs } = sent
      if (kind !== 'accepted' || ranUs - sentUs <= deadlineUs + timerUs) continue
      if (stillUs(world, process, 0, ranUs) === 0) yield `${ticket} was sent at ${sentUs}, taken at ${ranUs}`
    }
  },
}
