import { endingOf, keyOf, settledTo } from '../history/asking.ts'
import { calendarOf } from '../history/calendars.ts'
import { startsEmpty } from '../history/most.ts'
import { chosenIn, type PolicyPlan } from '../history/plan.ts'
import type { CallRecord, Said } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { takenAhead } from './ahead.ts'
import { type Facts, factsOf, isManaged, stillUs } from './facts.ts'
import type { Invariant } from './invariant.ts'
import { type Admission, tooMany } from './promises.ts'

interface Admitted extends Admission {
  readonly byStore: boolean
  readonly waited: boolean
  /** Whether the store has said that the caller has to wait. */
  readonly delayed: boolean
  readonly process: number
}

/** A waiting caller goes on when its timer fires, which is a little late. */
const timerUs = 5_000

/** What passed under a policy, by key, without what its caller has given back. */
function admittedUnder(world: World, policy: PolicyPlan): Map<number, Admitted[]> {
  const { name, strategy, onStoreFailure } = policy
  const byKey = new Map<number, Admitted[]>()
  for (const call of world.record.calls) {
    const { plan, answer, askedUs, answeredUs = 0 } = call
    if (answer?.allowed !== true || plan.operation === 'peek' || isManaged(call)) continue
    if (policyFor(world, call, name) !== policy) continue
    const said = answer.said.find(({ policy }) => policy === name)
    if (said === undefined || !said.allowed) continue
    const byStore = said.take !== undefined || answer.source === 'redis'
    if (!byStore && onStoreFailure !== 'local') continue
    const kept = keptOf(call, said.cost)
    if (kept === 0) continue
    const units = strategy === 'uniform' ? 1 : kept
    const waited = plan.operation === 'wait'
    // The process stood still when this caller's time came, which only that process knows: it went on late, and others after its time.
    if (waited && said.take === undefined && stillUs(world, plan.process, askedUs, answeredUs) > 0) continue
    const passedUs = waited ? answeredUs : answeredUs + said.waitUs
    // The policy with the longest wait decides when a caller goes on: this policy may have allowed it earlier, or in shadow later.
    const longestUs = Math.max(0, ...answer.said.map((each) => (isShadow(world, each) ? 0 : each.waitUs)))
    const heldUs = waited ? longestUs - said.waitUs : 0
    const take = said.take ?? takenAhead(world, said, { process: plan.process, atUs: answeredUs })
    const atUs = take === undefined ? passedUs - heldUs : take.ranUs + said.waitUs
    byKey.set(plan.key, [
      ...(byKey.get(plan.key) ?? []),
      { atUs, passedUs, units, byStore, waited, delayed: said.waitUs > 0, process: plan.process },
    ])
  }
  return byKey
}

/** The policy of that name by which a call is counted: its promise is one to the calls that have it. */
function policyFor(
  { plan: { scenario } }: World,
  { hasOthers }: CallRecord,
  name: string,
): PolicyPlan | undefined {
  const own = scenario.policies.find((policy) => policy.name === name)
  return (hasOthers && own !== undefined && chosenIn(scenario, own)) || own
}

function isShadow({ plan: { scenario } }: World, { policy }: Said): boolean {
  return scenario.policies.some(({ name, shadow }) => shadow && name === policy)
}

/**
 * Units of a key that the store took and that were given back: a process that counts alone takes them from its latest charges, although
 * they may have been charged earlier. It does the same with its own units where it counts by the whole limit, without receipts.
 */
function returnedTo({ record }: World, key: number, policy: PolicyPlan): number {
  const byWhole = startsEmpty(policy)
  let units = 0
  const calls = record.calls.filter(({ plan }) => plan.key === key)
  const aloneUs = Math.max(0, ...calls.map((call) => (call.answer?.source === 'fallback' ? call.askedUs : 0)))
  for (const { plan, endedUs, hungUpUs, answer } of calls) {
    // A caller that hung up matters where its process counts alone afterwards.
    const hasHungUp = hungUpUs !== undefined && hungUpUs < aloneUs
    if (hasHungUp || (endedUs !== undefined && (byWhole || answer?.source === 'redis')))
      units += Math.max(plan.cost, ...(plan.costs ?? []))
  }
  return units
}

/**
 * Units of windows that begin by the clock which the server counted in a new window, and their process in the one before. Who had to wait
 * goes on in a window that the store has named.
 */
function oldByOwnClock(
  { processes, server, time }: World,
  policy: PolicyPlan,
  admitted: readonly Admitted[],
): number {
  if (!('byClock' in policy) || !policy.byClock) return 0
  const windowUs = policy.windowMs * 1000
  const windowAt = (atUs: number, nowUs: number) => Math.floor((atUs + nowUs - time.nowUs) / windowUs)
  let units = 0
  for (const { atUs, passedUs, process, byStore, delayed, ...each } of admitted) {
    const { clockUs = 0 } = processes[process]?.machine ?? {}
    if (!byStore || delayed) continue
    if (windowAt(atUs, server.clockUs) > windowAt(passedUs, clockUs)) units += each.units
  }
  return units
}

/** After an outage callers also wait for what their process has counted, even where it took a refund from the wrong one of its windows. */
function mayWaitLonger({ isReservable }: PolicyPlan, { isQuiet }: Facts): boolean {
  return isReservable === true && !isQuiet
}

function firstAskedUs({ record }: World, key: number): number {
  return Math.min(...record.calls.filter(({ plan }) => plan.key === key).map(({ askedUs }) => askedUs))
}

function keptOf({ plan, endedUs }: CallRecord, cost: number): number {
  const ending = endingOf(plan)
  if (endedUs === undefined) return cost
  if (ending === 'settle') return Math.min(cost, settledTo(plan, cost))
  return ending === 'refund' || ending === 'cancel' ? 0 : cost
}

/** The factor on what the strategy admits: 1 while the store decides and loses nothing. */
function timesOf(
  { plan: { scenario } }: World,
  policy: PolicyPlan,
  { facts, alone }: { facts: Facts; alone: boolean },
): number {
  if (policy.onStoreFailure !== 'local') return 1 + facts.losses + facts.clockSteps
  const processes = alone || facts.losses > facts.unnoticed ? scenario.processes : 1
  // By a process's clock a window of a calendar begins at another instant: what the process has counted may be of the window before.
  const dated = (alone || facts.losses > 0) && calendarOf([policy]) !== undefined ? 1 : 0
  return processes + dated + facts.unnoticed + facts.clockSteps
}

export const boundedAdmissions: Invariant = {
  name: 'no more is admitted than may be',
  *breaches(world) {
    const facts = factsOf(world)
    const { maxKeys, policies, chosen = [] } = world.plan.scenario
    const keys = new Set(world.record.calls.map(({ plan }) => plan.key)).size
    for (const policy of [...policies, ...chosen]) {
      const byKey = admittedUnder(world, policy)
      for (const [key, admitted] of byKey) {
        const alone = admitted.some(({ byStore }) => !byStore)
        // Units that a server has lost are counted only by processes.
        const byProcesses = alone || facts.losses > 0
        // Keys that find no room in memory are forgotten, or share a count.
        if (byProcesses && maxKeys < keys * policies.length) continue
        const times = timesOf(world, policy, { facts, alone })
        const about = {
          times,
          slackUs: admitted.some(({ waited }) => waited) ? timerUs : 0,
          extra:
            byProcesses || mayWaitLonger(policy, facts)
              ? returnedTo(world, key, policy) + oldByOwnClock(world, policy, admitted)
              : 0,
          // A process counts from a full bucket, as the store may have more than it knows of; and a bucket fills as the first call said.
          emptyUs:
            startsEmpty(policy) && !byProcesses && facts.clockSteps === 0 && chosen.length === 0
              ? firstAskedUs(world, key)
              : undefined,
        }
        const said = tooMany(policy, admitted, about)
        if (said !== undefined) yield `${policy.name} of ${keyOf(key)}: ${said}`
      }
    }
  },
}
