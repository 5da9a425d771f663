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

/** A policy that does not apply to a call says nothing of it, and each other one counts it at the cost that the call has by it. */
export const costsAreHeard: Invariant = {
  name: 'a call is counted by the policies that apply, at its cost by each',
  *breaches({ record, plan: { scenario } }) {
    for (const call of record.calls) {
      const { plan, answer } = call
      const { cost, costs, skips } = plan
      if (answer === undefined || (costs === undefined && skips === undefined)) continue
      const expected = scenario.policies.flatMap(({ name }, nth) =>
        nth === skips ? [] : [`${name} x${costs?.[nth] ?? cost}`],
      )
      const said = answer.said.map((each) => `${each.policy} x${each.take?.units ?? each.cost}`)
      if (said.join() !== expected.join()) yield `${said}, not ${expected}: ${shown(call)}`
    }
  },
}
