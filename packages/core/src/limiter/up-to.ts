import type { LaneCheck, LaneQuestion } from '../decision/lane.ts'
import { codedTypeError, optionError } from '../errors.ts'
import type { Operation } from '../observer.ts'
import { oneOf } from '../options.ts'
import type { Store, StoreRows } from '../store.ts'
import { partsOf, scaleOf } from '../strategies/policy-parts.ts'

/** How one question takes. */
export interface Takes {
  readonly take?: 'up-to' | undefined
}

/** What a caller accepts where not all of it fits at once: a wait of so many µs, or as many units as fit. */
export type Accepts = number | 'up-to'

/** What a call accepts: what its own `take` says, else the wait. */
export function acceptsOf({ take }: Takes, maxWaitUs: number): Accepts {
  return take === undefined ? maxWaitUs : oneOf(take, 'take', ['up-to'])
}

/** The question that takes as many of the units as fit; throws where that makes no sense. */
export function upToQuestion(
  checks: readonly LaneCheck[],
  { operation, store }: { operation: Operation; store: Pick<Store, 'name' | 'can'> },
): LaneQuestion {
  if (operation !== 'check') throw takesInCheckOnly('up-to')
  if (store.can?.includes('upTo') !== true)
    throw codedTypeError(`take: the store ${store.name} cannot take a part of a cost`, {
      code: 'SLUICE_UNSUPPORTED',
    })
  const steps = stepsOf(checks)
  const question = { checks, charge: 'all-or-nothing', maxWaitUs: 0, take: true } as const
  return steps === 0 ? question : { ...question, upTo: steps }
}

export function takesInCheckOnly(take: unknown): TypeError {
  return optionError('take', 'to be left out, as only `check` takes a part of a cost', take)
}

/** How many units of the coarsest policy the call costs; 0: nothing. Throws unless all policies that it costs anything cost the same. */
function stepsOf(checks: readonly LaneCheck[]): number {
  const counting = checks.filter(({ cost }) => cost > 0)
  const scale = Math.min(...counting.map(scaleOf))
  let steps = 0
  for (const check of counting) {
    const { lane, policy } = check
    const cost = check.cost / (scaleOf(check) / scale)
    const { inFlight, countsRequests } = partsOf(policy)
    if (inFlight || countsRequests)
      throw optionError('take', `to be left out, as policy "${lane.name}" counts no units`, policy.strategy)
    if (steps !== 0 && cost !== steps)
      throw optionError('cost', 'one cost for all policies, or 0 for some, with take: "up-to"', cost)
    steps = cost
  }
  return steps
}

/** The checks as they were charged. One that was refused keeps the cost that was asked for. */
export function asCharged(checks: readonly LaneCheck[], rows: StoreRows): readonly LaneCheck[] {
  return checks.map((check, i) => {
    const taken = rows[i]?.taken ?? 0
    return taken === 0 || taken === check.cost ? check : { ...check, cost: taken }
  })
}
