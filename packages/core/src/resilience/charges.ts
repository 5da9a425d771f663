import { type Linked, LinkedList } from '../linked-list.ts'
import type { Policy } from '../policy.ts'
import type { Change, Check, StoreRow } from '../store.ts'
import { horizonUs } from '../strategies/horizon.ts'
import { partsOf } from '../strategies/policy-parts.ts'

/** What the store has taken from a key and this process's memory has not counted yet. */
interface NotedCharge extends Linked<NotedCharge> {
  readonly key: string
  policy: Policy
  units: number
  /** Of the latest of them: all count from then, as that never lets pass more. */
  atUs: number
  /** The last instant of units that are counted with the first. */
  untilUs: number
  /** Units and instant of what was charged before that, in turns. */
  earlier: number[] | undefined
}

/** Counts a charge as of its own instant. `ofUnits`: what was charged to the key in all, which it is remembered for as long as. */
type CountCharge = (change: Change, atUs: number, ofUnits: number) => void

/** What was noted of one limiter's policy. */
interface PolicyCharges {
  readonly byKey: Map<string, NotedCharge>
  /** The one that was noted first comes first. */
  readonly inOrder: LinkedList<NotedCharge>
}

/** Such a part of the time that a policy remembers is one instant: an outage may find a key that much fuller than it was. */
const instants = 64
/** So many earlier ones of a key are noted, and then counted together: counting one alone costs a request more than all else here. */
const mostEarlier = 8

/**
 * Units that the store took while it answers, to be counted in this process's memory once it is asked for the key. A busy key is
 * noted many times and counted once; what has expired by then is never counted.
 */
export class Charges {
  readonly #most: number
  readonly #count: CountCharge
  readonly #byId = new Map<string, PolicyCharges>()
  #latestId = ''
  #latest: PolicyCharges = noneOf()
  #size = 0

  /** Of `most` keys, each new one takes the place of the one that was noted first, which is counted. */
  constructor(most: number, count: CountCharge) {
    this.#most = most
    this.#count = count
  }

  get size(): number {
    return this.#size
  }

  *[Symbol.iterator](): Generator<Pick<Check, 'id' | 'key' | 'policy'>> {
    for (const [id, { byKey }] of this.#byId) {
      for (const [key, { policy }] of byKey) yield { id, key, policy }
    }
  }

  has(id: string, key: string): boolean {
    return this.#byId.get(id)?.byKey.has(key) === true
  }

  add({ id, key, policy }: Check, units: number, nowUs: number): void {
    const { byKey, inOrder } = this.#notedOf(id)
    const charged = byKey.get(key)
    if (charged !== undefined && charged.policy === policy && nowUs <= charged.untilUs) {
      charged.units += units
      charged.atUs = nowUs
      return
    }
    if (charged === undefined) {
      if (this.#size >= this.#most) this.#countFirst(id)
      const added: NotedCharge = {
        key,
        policy,
        units,
        atUs: nowUs,
        untilUs: togetherUntilUs(policy, nowUs),
        earlier: undefined,
        previous: undefined,
        next: undefined,
      }
      byKey.set(key, added)
      inOrder.add(added)
      this.#size++
    } else {
      this.#putOff(id, charged, policy)
      charged.policy = policy
      charged.units = units
      charged.atUs = nowUs
      charged.untilUs = togetherUntilUs(policy, nowUs)
      inOrder.remove(charged)
      inOrder.add(charged)
    }
    this.#clearOld(id, inOrder, nowUs)
  }

  /** The latest charge becomes an earlier one. All are counted if there is no room for it, or if the policy has changed. */
  #putOff(id: string, charged: NotedCharge, policy: Policy): void {
    const { earlier, units, atUs } = charged
    if (charged.policy !== policy || earlier?.length === 2 * mostEarlier) {
      this.#countNow(id, charged)
      charged.earlier = undefined
    } else if (earlier === undefined) {
      charged.earlier = [units, atUs]
    } else {
      earlier.push(units, atUs)
    }
  }

  /** What is noted of the key is counted from here on. */
  count({ id, key }: Pick<Check, 'id' | 'key'>): void {
    const charged = this.#take(id, key)
    if (charged !== undefined) this.#countNow(id, charged)
  }

  #countNow(id: string, { key, policy, units, atUs, earlier = [] }: NotedCharge): void {
    const charged = [...earlier, units, atUs]
    let ofUnits = 0
    for (let i = 0; i < charged.length; i += 2) ofUnits += charged[i] ?? 0
    for (let i = 0; i < charged.length; i += 2) {
      const cost = charged[i] ?? 0
      const check = {
        id,
        key,
        policy,
        cost,
        note: undefined,
        shadow: false,
        onStoreFailure: 'local',
      } as const
      this.#count({ check, receipt: null, byUnits: cost }, charged[i + 1] ?? 0, ofUnits)
    }
  }

  /** The key begins anew. */
  forget({ id, key }: Check): void {
    this.#take(id, key)
  }

  #take(id: string, key: string): NotedCharge | undefined {
    if (this.#size === 0) return undefined
    const { byKey, inOrder } = this.#notedOf(id)
    const charged = byKey.get(key)
    if (charged === undefined) return undefined
    byKey.delete(key)
    inOrder.remove(charged)
    this.#size--
    return charged
  }

  /** Two for each that is added: however many keys come, those that no longer matter go. */
  #clearOld(id: string, inOrder: LinkedList<NotedCharge>, nowUs: number): void {
    for (let cleared = 0; cleared < 2; cleared++) {
      const { first } = inOrder
      if (first === undefined || nowUs - first.atUs < horizonUs(first.policy)) return
      this.count({ id, key: first.key })
    }
  }

  /** Of the same policy, or of any. */
  #countFirst(id: string): void {
    const own = this.#notedOf(id).inOrder.first
    const [first] = own === undefined ? this : [{ id, key: own.key }]
    if (first !== undefined) this.count(first)
  }

  #notedOf(id: string): PolicyCharges {
    if (id === this.#latestId) return this.#latest
    const noted = this.#byId.get(id) ?? noneOf()
    this.#byId.set(id, noted)
    this.#latestId = id
    this.#latest = noted
    return noted
  }
}

/** Never beyond the end of a calendar's window. */
function togetherUntilUs(policy: Policy, firstUs: number): number {
  const untilUs = firstUs + horizonUs(policy) / instants
  const { calendar } = partsOf(policy)
  return calendar === undefined ? untilUs : Math.min(untilUs, calendar.windowAt(firstUs).endUs - 1)
}

function noneOf(): PolicyCharges {
  return { byKey: new Map(), inOrder: new LinkedList() }
}

/** When units count that are taken now, and that the caller uses after its wait. */
export function chargedUs({ policy }: Check, { waitUs }: StoreRow, nowUs: number): number {
  return partsOf(policy).definition.whenDue === true ? nowUs + waitUs : nowUs
}
