import type { CallRecord } from '../history/record.ts'
import { shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

function* wrongIn(call: CallRecord): Generator<string> {
  const { plan, answer } = call
  if (answer?.allowed !== true) return
  // An answer that nothing was counted for has the cost that was asked for.
  for (const { cost, policy, receipt, take } of answer.said) {
    if (receipt === '') continue
    if (cost < 1 || cost > plan.cost || cost !== answer.cost)
      yield `${cost} of ${policy}, and ${answer.cost} of all: ${shown(call)}`
    if (take !== undefined && take.units < cost)
      yield `${cost} of ${policy}, where ${take.units} were taken: ${shown(call)}`
  }
}

/** The answer to a check with `up-to` says how much was taken: the same from each policy, and no more than was asked for. */
export const partsAreTold: Invariant = {
  name: 'a part is as large as it is said to be',
  *breaches({ record }) {
    for (const call of record.calls) if (call.plan.operation === 'part') yield* wrongIn(call)
  },
}
