import { keyOf } from '../history/asking.ts'
import type { PolicyPlan } from '../history/plan.ts'
import type { CallRecord, Said } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { factsOf } from './facts.ts'
import type { Invariant } from './invariant.ts'

interface Held {
  /** When the place was taken, by the server or by a process. */
  readonly fromUs: number
  /** When its caller had the place. */
  readonly heardUs: number
  readonly untilUs: number
  readonly units: number
  readonly byStore: boolean
}

/** The place of a call. It counts until its caller releases it, its process dies, or it was not renewed for a lease. */
function heldOf(world: World, call: CallRecord, { said, leaseUs }: { said: Said; leaseUs: number }): Held {
  const { take } = said
  // A caller in line may have given back a place of the server, and got one of its process under the same name.
  const isBack = (atUs: number) => take !== undefined && atUs >= take.ranUs && atUs < (call.answeredUs ?? 0)
  const wasBack = world.record.gives.some(
    ({ process, own: given, key, atUs }) =>
      process === call.plan.process && given === String(said.receipt) && key === said.name && isBack(atUs),
  )
  const heardUs = call.answeredUs ?? 0
  const fromUs = (wasBack ? undefined : take?.ranUs) ?? heardUs
  // In calm times every place is renewed in time.
  let leaseEndUs = factsOf(world).isCalm ? Number.POSITIVE_INFINITY : fromUs + leaseUs
  const own = String(said.receipt).replace(/^local /, '')
  for (const { key, receipt, atUs } of world.record.renewals) {
    if (key === said.name && receipt === own && atUs <= leaseEndUs)
      leaseEndUs = Math.max(leaseEndUs, atUs + leaseUs)
  }
  const endUs = call.endedUs ?? Number.POSITIVE_INFINITY
  const byStore = said.take !== undefined
  const untilUs = Math.min(endUs, byStore ? leaseEndUs : stoodStillUs(world, call, leaseUs))
  return { fromUs, heardUs, untilUs, units: said.cost, byStore }
}

/** When a process went on after it had stood still for too long to renew its own places, which it does every third of a lease. */
function stoodStillUs(world: World, { plan, answeredUs = 0 }: CallRecord, leaseUs: number): number {
  const stills = world.processes[plan.process]?.machine.stills ?? []
  const late = stills.filter(
    ({ fromUs, untilUs }) => untilUs > answeredUs && untilUs - fromUs > (leaseUs * 2) / 3,
  )
  return Math.min(...late.map(({ untilUs }) => untilUs))
}

function placesOf(world: World, { name }: PolicyPlan, leaseUs: number): Map<number, Held[]> {
  const byKey = new Map<number, Held[]>()
  for (const call of world.record.calls) {
    const said = call.answer?.said.find(({ policy }) => policy === name)
    if (said === undefined || said.receipt === '' || call.answer?.allowed !== true) continue
    const { key } = call.plan
    byKey.set(key, [...(byKey.get(key) ?? []), heldOf(world, call, { said, leaseUs })])
  }
  return byKey
}

function mostAtOnce(held: readonly Held[], from: 'fromUs' | 'heardUs'): number {
  let most = 0
  for (const { [from]: atUs } of held) {
    let units = 0
    for (const other of held) if (other[from] <= atUs && atUs < other.untilUs) units += other.units
    most = Math.max(most, units)
  }
  return most
}

/** The factor on the number of places: 1 while the store decides and loses nothing. */
function timesOf(world: World, { onStoreFailure }: PolicyPlan, alone: boolean): number {
  const { losses, unnoticed, clockSteps } = factsOf(world)
  // The process does not count places by itself as well.
  if (onStoreFailure !== 'local') return 1 + losses + clockSteps
  const { processes } = world.plan.scenario
  return (alone || losses > unnoticed ? processes : 1) + unnoticed + clockSteps
}

export const boundedPlaces: Invariant = {
  name: 'no more places in flight than the limit, by live leases',
  *breaches(world) {
    const { policies, maxKeys } = world.plan.scenario
    const keys = new Set(world.record.calls.map(({ plan }) => plan.key)).size
    for (const policy of policies) {
      if (policy.strategy !== 'concurrency') continue
      for (const [key, held] of placesOf(world, policy, policy.leaseMs * 1000)) {
        const alone = held.some(({ byStore }) => !byStore)
        const times = timesOf(world, policy, alone)
        // Keys that find no room in memory share a count, or are forgotten.
        if (alone && maxKeys < keys * policies.length) continue
        // A process that counts its own places refuses some that the server has taken for it, and hears of those later.
        const most = mostAtOnce(held, alone ? 'heardUs' : 'fromUs')
        if (most > times * policy.limit)
          yield `${most} of ${keyOf(key)} at once, at most ${times} times ${policy.limit}`
      }
    }
  },
}
