import { calendarAt } from '../history/calendars.ts'
import { isOfManaged } from '../history/managed.ts'
import type { PolicyPlan } from '../history/plan.ts'
import type { CallRecord, TakeRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { factsOf, shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** The ends of a policy's windows that its row of the table has, in order; none where all its windows have the same length. */
function endsOf(policy: PolicyPlan): readonly number[] {
  if (policy.strategy !== 'fixedWindow' || policy.calendar === undefined) return []
  return calendarAt(policy.calendar).ends.map((end) => Date.parse(end) * 1000)
}

function isOf({ key }: TakeRecord, { name }: PolicyPlan): boolean {
  return key.includes(`:${name}:`)
}

/** When the caller of a take is let in, by the server's clock. If no caller heard of the take: an instant in the window of its receipt. */
function passedUs(take: TakeRecord): number {
  const { serverUs, call, key } = take
  if (call === undefined) return endIn(take) - 1
  return serverUs + (call.answer?.said.find(({ name }) => name === key)?.waitUs ?? 0)
}

/** Whether a process may have forgotten what it counted in an outage, as more keys were asked for than its memory keeps. */
function mayForget(world: World): boolean {
  return world.plan.scenario.maxKeys < 5 && !factsOf(world).isCalm
}

/**
 * Sums by key and window what the server has taken, and yields the sums that exceed the limit. After an outage a caller may wait for what
 * its process has counted, into a later window than the server has counted it in: then each process that remembers keeps its own limit.
 */
function* passedInOne(world: World, policy: PolicyPlan, ends: readonly number[]): Generator<string> {
  if (policy.strategy !== 'fixedWindow') return
  const counts = new Map<string, number>()
  const most = factsOf(world).isCalm ? policy.limit : policy.limit * world.plan.scenario.processes
  const forgets = mayForget(world)
  const returned = new Set(world.record.gives.map(({ key }) => key))
  for (const take of world.record.takes) {
    if (!isOf(take, policy) || isOfManaged(take.key) || returned.has(take.key)) continue
    const atUs = forgets ? endIn(take) - 1 : passedUs(take)
    const window = ends.findIndex((end) => atUs < end)
    const place = `${take.key} before end ${window}`
    const units = (counts.get(place) ?? 0) + take.units
    counts.set(place, units)
    if (units > most) yield `${units} units of ${place}, of ${most}`
  }
}

/** The end of the window that a receipt names. */
function endIn({ receipt }: TakeRecord): number {
  return Number.parseInt(String(receipt).replace(/^@\d+@/, ''), 10)
}

/** Windows end where the row says, whenever and by whichever process they were begun, and no key gets more than the limit in one. */
export const calendarsAreKept: Invariant = {
  name: 'no window of a calendar lets more pass, or ends at another instant',
  *breaches(world) {
    const { losses, clockSteps } = factsOf(world)
    for (const policy of world.plan.scenario.policies) {
      const ends = endsOf(policy)
      if (ends.length === 0) continue
      for (const take of world.record.takes) {
        if (!isOf(take, policy) || isOfManaged(take.key) || clockSteps > 0) continue
        const end = endIn(take)
        if (!ends.includes(end) || end <= take.serverUs)
          yield `${take.key} was taken at ${take.serverUs} until ${end}`
      }
      if (losses === 0 && clockSteps === 0) yield* passedInOne(world, policy, ends)
    }
  },
}

/** Units of a refused key that were taken before the refusal, and may lie in the same window. */
function usedBefore(world: World, refused: CallRecord, fromUs: number): number {
  let units = 0
  for (const { key, units: taken, serverUs, ranUs, call } of world.record.takes)
    if (key.includes(`{k${refused.plan.key}`) && serverUs >= fromUs && ranUs <= (refused.answeredUs ?? 0))
      units += Math.max(taken, call?.plan.settlesTo ?? 0)
  return units
}

/** In calm times, no caller is refused after the end of a window for what was taken before it. */
export const calendarsBeginAnew: Invariant = {
  name: 'a window of a calendar begins with its full limit',
  *breaches(world) {
    const { policies, cluster } = world.plan.scenario
    const [policy] = policies
    if (policy === undefined || policies.length > 1 || policy.strategy !== 'fixedWindow') return
    const [, endUs] = endsOf(policy)
    if (
      endUs === undefined ||
      !factsOf(world).isCalm ||
      cluster !== undefined ||
      policy.isReservable === true
    )
      return
    const beginsUs = endUs - (world.server.clockUs - world.time.nowUs)
    for (const call of world.record.calls) {
      const { plan, answer, askedUs } = call
      if (answer?.reason !== 'limited' || askedUs < beginsUs || isOfManaged(`{k${plan.key}`)) continue
      const used = usedBefore(world, call, endUs)
      const least = plan.operation === 'part' ? 1 : plan.cost
      if (used + least <= policy.limit) yield `${used} of ${policy.limit} used: ${shown(call)}`
    }
  },
}
