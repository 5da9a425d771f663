import type { PolicyPlan } from '../history/plan.ts'
import { maxDebtMs } from '../history/policies.ts'
import type { ActRecord, CallRecord, TakeRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { type Count, countOf } from './counts.ts'
import { factsOf, shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** What an inspection must find. */
interface Sight extends ActRecord {
  /** undefined: not known exactly. */
  readonly remaining: readonly [least: number, most: number] | undefined
  readonly isBlocked: boolean
}

/** The book of one count. */
class Book {
  readonly #count: Count
  readonly #name: string
  #blockedUntilUs = 0
  readonly sights: Sight[] = []

  constructor(name: string, count: Count) {
    this.#name = name
    this.#count = count
  }

  *enter(entry: TakeRecord | ActRecord): Generator<string> {
    if ('act' in entry) this.#act(entry)
    else yield* this.#take(entry)
  }

  *#take({ ranUs, units, call, process }: TakeRecord): Generator<string> {
    const about = `${units} units of ${this.#name} were taken at ${ranUs} for process ${process}`
    if (ranUs < this.#blockedUntilUs) yield `${about}, blocked until ${this.#blockedUntilUs}`
    const later = call === undefined || mayTakeLater.includes(call.plan.operation)
    const room = this.#count.roomAt(ranUs) + (later ? this.#count.debt : 0)
    if (units > room + tolerance) yield `${about}, where ${room} were left`
    this.#count.charge(units, ranUs)
  }

  #act(act: ActRecord): void {
    const { ranUs, amount } = act
    const isBlocked = ranUs < this.#blockedUntilUs
    switch (act.act) {
      case 'block':
        this.#blockedUntilUs = ranUs + amount
        break
      case 'unblock':
        this.#blockedUntilUs = 0
        break
      case 'reset':
        this.#blockedUntilUs = 0
        this.#count.clear()
        break
      case 'set':
        this.#count.clear()
        this.#count.charge(amount, ranUs)
        break
      case 'penalize':
      case 'more':
        if (!isBlocked) this.#count.charge(amount, ranUs)
        break
      case 'reward':
      case 'give':
        if (!isBlocked) this.#count.give(amount, ranUs, act.act === 'reward')
        break
      case 'raise':
        if (!isBlocked) this.#count.raise(amount, ranUs)
        break
      case 'inspect':
        this.sights.push({ ...act, isBlocked, remaining: this.#remainingAt(ranUs) })
    }
  }

  #remainingAt(atUs: number): Sight['remaining'] {
    if (!this.#count.isExact) return undefined
    const room = this.#count.roomAt(atUs)
    return [Math.max(0, Math.floor(room - tolerance)), Math.max(0, Math.floor(room + tolerance))]
  }
}

const mayTakeLater: readonly string[] = ['reserve', 'wait', 'cancel']
/** In units: the interval between two of them is rounded. */
const tolerance = 0.01

/** From the key that is changed by hand, the server takes no more than is left; and an inspection shows what is left. */
export const byLedger: Invariant = {
  name: 'what is changed by hand counts, and is seen',
  *breaches(world) {
    const { losses, clockSteps } = factsOf(world)
    // These books have one limit each.
    if (world.plan.scenario.changes === true || losses > 0 || clockSteps > 0) return
    for (const policy of world.plan.scenario.policies) {
      const isSimple = policy.blockForMs === 0 && policy.isReservable !== true
      const count = isSimple ? countOf(policy, maxDebtMs) : undefined
      if (count === undefined) continue
      const book = new Book(policy.name, count)
      for (const entry of world.record.ledger)
        if (entry.key.includes(`:${policy.name}:`)) yield* book.enter(entry)
      // Units that are taken ahead make what is shown smaller.
      if (world.plan.scenario.aheadMs === 0) yield* seenWrongly(world, policy, book.sights)
    }
  },
}

function* seenWrongly({ record }: World, { name }: PolicyPlan, sights: readonly Sight[]): Generator<string> {
  for (const call of record.calls) {
    const seen = call.inspected?.[name]
    if (seen === undefined) continue
    const fitting = sights.filter((sight) => isOf(sight, call))
    const isTrue = fitting.some(({ isBlocked, remaining }) => {
      const fits =
        remaining === undefined || (seen.remaining >= remaining[0] && seen.remaining <= remaining[1])
      return fits && isBlocked === (seen.blockedMs !== null)
    })
    if (!isTrue) yield `${shown(call)}: ${seen.remaining} left, blocked for ${seen.blockedMs} ms`
  }
}

function isOf({ process, ranUs }: Sight, { plan, askedUs, answeredUs = 0 }: CallRecord): boolean {
  return process === plan.process && ranUs >= askedUs && ranUs <= answeredUs
}
