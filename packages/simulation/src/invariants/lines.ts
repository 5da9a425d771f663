import { shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** Of those who wait in one process for one key, none passes another that came before it. */
export const firstComeFirstServed: Invariant = {
  name: 'first come, first served',
  *breaches(world) {
    const { policies } = world.plan.scenario
    if (policies.length > 1 || policies[0]?.strategy !== 'concurrency') return
    const served = world.record.calls.filter(
      ({ plan, answer }) => plan.operation === 'wait' && answer?.allowed === true,
    )
    for (const earlier of served) {
      for (const later of served) {
        const { plan } = later
        if (plan.process !== earlier.plan.process || plan.key !== earlier.plan.key) continue
        if (plan.cost !== earlier.plan.cost || later.askedUs <= earlier.askedUs) continue
        if ((later.answeredUs ?? 0) < (earlier.answeredUs ?? 0))
          yield `${shown(later)}, before ${shown(earlier)}`
      }
    }
  },
}
