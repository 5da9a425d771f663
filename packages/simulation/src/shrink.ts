import type { Plan } from './history/plan.ts'
import type { Played } from './player.ts'

/** How often a history may be played again to find a shorter one. */
const mostTries = 600

/**
 * A shorter history in which the same invariant fails: calls, jobs and faults are left out, at first many at once, while it still fails.
 * To be called outside of all promise callbacks.
 */
export function shorten(
  { plan, breaches }: Pick<Played, 'plan' | 'breaches'>,
  play: (plan: Plan) => Played,
): Plan {
  const invariant = breaches[0]?.invariant
  let tries = 0
  const fails = (shorter: Plan) =>
    tries++ < mostTries && play(shorter).breaches.some((breach) => breach.invariant === invariant)
  let shortest = plan
  for (let before = Number.POSITIVE_INFINITY; sizeOf(shortest) < before; ) {
    before = sizeOf(shortest)
    const calls = fewest(shortest.calls, (calls) => fails({ ...shortest, calls }))
    shortest = { ...shortest, calls }
    const jobs = fewest(shortest.jobs ?? [], (jobs) => fails({ ...shortest, jobs }))
    shortest = { ...shortest, ...(shortest.jobs && { jobs }) }
    const faults = fewest(shortest.faults, (faults) => fails({ ...shortest, faults }))
    shortest = { ...shortest, faults }
  }
  return shortest
}

function sizeOf({ calls, faults, jobs = [] }: Plan): number {
  return calls.length + faults.length + jobs.length
}

/** As few as will do, leaving out half of them, a quarter, and so on down to one. */
function fewest<T>(all: readonly T[], stillFails: (some: readonly T[]) => boolean): readonly T[] {
  let left = all
  for (let count = Math.ceil(all.length / 2); count >= 1; count = Math.floor(count / 2)) {
    for (let from = 0; from < left.length; ) {
      const some = [...left.slice(0, from), ...left.slice(from + count)]
      if (stillFails(some)) left = some
      else from += count
    }
  }
  return left
}
