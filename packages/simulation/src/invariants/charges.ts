import { keyOf } from '../history/asking.ts'
import type { GiveRecord, TakeRecord } from '../history/record.ts'
import { isOfLine } from '../history/takes.ts'
import type { World } from '../history/world.ts'
import { circuitAt, factsOf, shortKey } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** The name by which a take is given back: its process, its count and its receipt. */
function nameOfTake({ process, key, receipt }: TakeRecord): string {
  return `${process} ${key} ${receipt}`
}

function givesByName(gives: readonly GiveRecord[]): Map<string, GiveRecord[]> {
  const byName = new Map<string, GiveRecord[]>()
  for (const give of gives) {
    const name = `${give.process} ${give.key} ${give.own}`
    byName.set(name, [...(byName.get(name) ?? []), give])
  }
  return byName
}

/**
 * Whether units were given back. Takes of one window have the same receipt, so another of them may have been given back. Units may come
 * back in parts, as those of a call over several slots do.
 */
function isTakenBack(units: number, given: GiveRecord[]): boolean {
  const nth = given.findIndex((give) => give.units === units)
  if (nth >= 0) return given.splice(nth, 1).length === 1
  let rest = units
  for (const give of [...given]) {
    if (give.units > rest) continue
    rest -= give.units
    given.splice(given.indexOf(give), 1)
  }
  return rest === 0
}

/** If a caller got another answer than the server's, its process gives back what the server took, once it hears of it. */
export const givenBack: Invariant = {
  name: 'what was taken for nobody is given back',
  *breaches(world) {
    if (world.plan.scenario.aheadMs > 0) return
    const gives = givesByName(world.record.gives)
    for (const take of world.record.takes) {
      if (take.sent.heardUs === undefined || take.call !== undefined || isGone(world, take)) continue
      if (isHeldInLine(world, take)) continue
      if (hasHungUpAlone(world, take, take.sent.heardUs)) continue
      if (!isTakenBack(take.units, gives.get(nameOfTake(take)) ?? []))
        yield `${take.units} units of ${take.key}, taken at ${take.ranUs} for process ${take.process}`
    }
  },
}

/** Whether the store's answer was late for a caller in line, which got a place without it and holds the store's under the same name. */
function isHeldInLine({ record }: World, take: TakeRecord): boolean {
  return (
    isOfLine(take) &&
    record.calls.some(
      ({ plan, answer }) =>
        plan.process === take.process &&
        answer?.allowed === true &&
        answer.said.some(({ receipt }) => receipt === take.receipt),
    )
  )
}

/**
 * Whether the caller may have hung up while the circuit was open, then or when the answer was there: corrections are not sent to the
 * store, and a lease ends by itself.
 */
function hasHungUpAlone(world: World, { process, key, ranUs }: TakeRecord, heardUs: number): boolean {
  const isAlone = (atUs: number) => ['opened', 'half-open'].includes(circuitAt(world, process, atUs) ?? '')
  return world.record.calls.some(
    ({ plan, hungUpUs, askedUs, answer }) =>
      hungUpUs !== undefined &&
      answer === undefined &&
      plan.process === process &&
      askedUs <= ranUs &&
      shortKey(key) === keyOf(plan.key) &&
      (isAlone(heardUs) || isAlone(hungUpUs)),
  )
}

/** Whether the process of a take had no time to give it back, as it died. */
function isGone({ processes }: World, { process }: TakeRecord): boolean {
  return processes[process]?.machine.dead !== false
}

/** A process gives back only what it has taken. */
export const givesItsOwn: Invariant = {
  name: 'a process gives back only what it has taken',
  *breaches(world) {
    const { aheadMs, policies } = world.plan.scenario
    if (aheadMs > 0 || policies.some(({ strategy }) => strategy === 'concurrency')) return
    const taken = new Set(world.record.takes.map(nameOfTake))
    for (const { process, key, own, atUs } of world.record.gives)
      if (own !== '' && !taken.has(`${process} ${key} ${own}`))
        yield `${key} (${own}) by process ${process} at ${atUs}`
  },
}

/** Each call takes at most once. */
export const chargedOnce: Invariant = {
  name: 'nothing is charged twice',
  *breaches(world) {
    const { aheadMs, policies } = world.plan.scenario
    // A place of the store that this process knows to be taken is given back, and asked for again.
    if (aheadMs > 0 || policies.some(({ strategy }) => strategy === 'concurrency')) return
    const counts = new Map<string, { calls: number; takes: number }>()
    const countOf = (name: string) => {
      const count = counts.get(name) ?? { calls: 0, takes: 0 }
      counts.set(name, count)
      return count
    }
    for (const { plan } of world.record.calls) {
      if (plan.operation !== 'peek') countOf(`${plan.process} k${plan.key}`).calls++
    }
    for (const { process, key } of world.record.takes) countOf(`${process} ${shortKey(key)}`).takes++
    for (const [name, { calls, takes }] of counts) {
      if (takes > calls * policies.length) yield `${takes} takes for ${calls} calls: ${name}`
    }
  },
}

/** The server takes nothing long after it was asked: no caller waits for that any more. This holds however slow its replies were. */
export const nothingLate: Invariant = {
  name: 'a server that comes back takes nothing for those who have gone',
  *breaches(world) {
    if (factsOf(world).clockSteps > 0) return
    const deadlineUs = world.plan.scenario.deadlineMs * 1000
    for (const { sent, ranUs, key, process } of world.record.takes) {
      const lateUs = ranUs - sent.sentUs - deadlineUs
      if (lateUs > 0) yield `${key} was taken ${lateUs} µs too late for process ${process}, at ${ranUs}`
    }
  },
}
