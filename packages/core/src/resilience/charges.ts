import { type Linked, LinkedList } from '../linked-list.ts'
import type { Policy } from '../policy.ts'
import type { Change, Check, StoreRow } from '../store.ts'
import { horizonUs, partsOf } from '../strategies/policy-parts.ts'

/** Units that the store has taken from a key and that this process's memory has not counted yet. */
interface NotedCharge extends Linked<NotedCharge> {
  readonly key: string
  policy: Policy
  units: number
  /** The instant of the latest charge in `units`. All of `units` count as of then, which never admits more. */
  atUs: number
  /** The last instant at which a further charge is added to `units`. */
  untilUs: number
  /** Earlier charges: units and instant alternate. */
  earlier: number[] | undefined
}

/** Counts a charge as of its own instant. `ofUnits`: the sum of the key's noted charges, which says how long each is remembered. */
type CountCharge = (change: Change, atUs: number, ofUnits: number) => void

interface PolicyCharges {
  readonly byKey: Map<string, NotedCharge>
  /** The one that was noted first comes first. */
  readonly inOrder: LinkedList<NotedCharge>
}

/**
 * Charges within this part of a policy's horizon (1/64) are counted together, as of the latest. An outage may so find a key fuller
 * by that part than it was.
 */
const instants = 64
/**
 * At most this many earlier charges of a key are noted, and then counted together: to count each alone would cost a request more than
 * all else here.
 */
const mostEarlier = 8

/**
 * Units that the store takes while it answers. This process's memory counts them only once it is asked for the key: a busy key is
 * noted many times and counted once, and charges that have expired by then are never counted.
 */
export class Charges {
  readonly #most: number
  readonly #count: CountCharge
  readonly #byId = new Map<string, PolicyCharges>()
  #latestId = ''
  #latest: PolicyCharges = noneOf()
  #size = 0

  /** `most`: how many keys are noted. A further one replaces the key that was noted first, whose charges are counted then. */
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

  /** Counts the noted charges of the key now. */
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
      const check: Check = { id, key, policy, cost, note: undefined, shadow: false, onStoreFailure: 'local' }
      this.#count({ check, receipt: null, byUnits: cost }, charged[i + 1] ?? 0, ofUnits)
    }
  }

  /** Drops the noted charges of the key: its count begins anew. */
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

  /** Clears at most two expired keys for each one that is added, so they go however many new keys arrive. */
  #clearOld(id: string, inOrder: LinkedList<NotedCharge>, nowUs: number): void {
    for (let cleared = 0; cleared < 2; cleared++) {
      const { first } = inOrder
      if (first === undefined || nowUs - first.atUs < horizonUs(first.policy)) return
      this.count({ id, key: first.key })
    }
  }

  /** Counts the key that was noted first under the same policy or, if there is none, under any. */
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

/** The last instant whose charges are counted together with those of `firstUs`; never beyond the end of a calendar's window. */
function togetherUntilUs(policy: Policy, firstUs: number): number {
  const untilUs = firstUs + horizonUs(policy) / instants
  const { calendar } = partsOf(policy)
  return calendar === undefined ? untilUs : Math.min(untilUs, calendar.windowAt(firstUs).endUs - 1)
}

function noneOf(): PolicyCharges {
  return { byKey: new Map(), inOrder: new LinkedList() }
}

/** The instant from which units taken now count: the end of the caller's wait for a strategy with `whenDue`, else now. */
export function chargedUs({ policy }: Check, { waitUs }: StoreRow, nowUs: number): number {
  return partsOf(policy).definition.whenDue === true ? nowUs + waitUs : nowUs
}
