import {
  type AnyCheckOptions,
  type AnySubject,
  askNames,
  isNotApplicable,
  type NotApplicable,
} from '../call-options.ts'
import {
  checkOf,
  type Lane,
  type LaneCheck,
  listOf,
  mustFollow,
  type PlainLane,
  plainCheckOf,
} from '../decision/lane.ts'
import { memberOf, unitsByPolicy } from '../decision/per-policy.ts'
import { optionError } from '../errors.ts'
import { isKey, type Key } from '../key.ts'
import { checkNames, isRecord } from '../options.ts'
import { isPolicy, type Policy } from '../policy.ts'
import type { Charge, Store } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import { unknownPolicy } from './policy-names.ts'
import { costFor, kindOf, type Prices } from './prices.ts'
import type { Plain, Questions } from './question-limiter.ts'
import { readPolicy } from './settings.ts'

type SubjectMembers = { readonly [name: string]: unknown }

const aKey = 'a key, or notApplicable where the policy does not apply'
const aSubject = 'a key, or one for each policy by name (notApplicable where a policy does not apply)'

function keyFor(name: string, members: SubjectMembers): Key | NotApplicable {
  const key = memberOf(members, name)
  if (isNotApplicable(key) || isKey(key)) return key
  throw optionError(`subject.${name}`, aKey, key)
}

/** Whether the lane's policy is always the same, and a cost of 1 is one of its units. */
function isPlain(lane: Lane): lane is PlainLane {
  if (lane.policy === null) return false
  const { changing, scale } = partsOf(lane.policy)
  return changing === undefined && scale === 1
}

/** A check for each policy that applies. */
export class PolicyQuestions implements Questions<AnySubject, AnyCheckOptions> {
  readonly charge: Charge
  readonly firstPolicy: string
  readonly #lanes: readonly Lane[]
  readonly #names: readonly string[]
  /** The limiter's only lane, if it is plain. */
  readonly #single: PlainLane | undefined
  readonly #accept: (policy: Policy, name: string) => void
  readonly #prices: Prices | undefined

  /** `accept` refuses a policy that was chosen for the call, by its name here, and that the store cannot hold. */
  constructor(
    lanes: readonly Lane[],
    about: { charge: Charge; accept: (policy: Policy, name: string) => void; prices?: Prices | undefined },
  ) {
    this.charge = about.charge
    this.firstPolicy = lanes[0]?.name ?? ''
    this.#lanes = lanes
    this.#names = lanes.map(({ name }) => name)
    const [first] = lanes
    if (lanes.length === 1 && first !== undefined && isPlain(first)) this.#single = first
    this.#accept = about.accept
    this.#prices = about.prices
  }

  plain(store: Store): Plain | undefined {
    const lane = this.#single
    if (lane === undefined || lane.shadow || partsOf(lane.policy).inFlight) return undefined
    const counter = store.counter?.(lane)
    return counter && { lane, counter }
  }

  // Fast path: what most callers ask. All else is split out so that V8 can inline this.
  ask(subject: AnySubject, options: AnyCheckOptions | undefined): readonly LaneCheck[] {
    const single = this.#single
    if (single !== undefined && options === undefined && typeof subject === 'string' && subject !== '')
      return listOf(plainCheckOf(single, single.policy, subject))
    return this.#askAny(subject, options)
  }

  #askAny(subject: AnySubject, options: AnyCheckOptions | undefined): readonly LaneCheck[] {
    if (options !== undefined) this.#checkOptions(options)
    if (isRecord(subject)) this.#checkMembers(subject)
    // undefined and null throw too: otherwise one missing user id would make an unlimited caller.
    else if (!isKey(subject)) throw optionError('subject', aSubject, subject)
    const checks = this.#checksFor(subject, options)
    mustFollow(checks, options?.since)
    return checks
  }

  #checksFor(subject: AnySubject, options: AnyCheckOptions | undefined): readonly LaneCheck[] {
    const [only, another] = this.#lanes
    if (only !== undefined && another === undefined) {
      const check = this.#checkFor(only, subject, options)
      // `push` on an empty list would reserve room for seventeen, which every waiting caller would keep.
      return check === undefined ? [] : listOf(check)
    }
    const checks: LaneCheck[] = []
    for (const lane of this.#lanes) {
      const check = this.#checkFor(lane, subject, options)
      if (check !== undefined) checks.push(check)
    }
    return listOf(...checks)
  }

  /** undefined: the policy does not apply this time. */
  #checkFor(lane: Lane, subject: AnySubject, options: AnyCheckOptions | undefined): LaneCheck | undefined {
    const key = isRecord(subject) ? keyFor(lane.name, subject) : subject
    if (isNotApplicable(key)) return undefined
    const policy = options === undefined ? undefined : this.#policyFor(lane, options)
    const cost = costFor(options?.cost, lane.name, this.#prices)
    return checkOf(lane, {
      key,
      cost,
      note: options?.note,
      policy,
      kind: kindOf(options),
      since: options?.since,
    })
  }

  #checkOptions(options: AnyCheckOptions): void {
    checkNames(options, 'options', askNames)
    const { cost, policies } = options
    if (typeof cost === 'object') this.#checkRecord('cost', unitsByPolicy, cost)
    if (policies !== undefined) this.#checkRecord('policies', 'policies by name', policies)
  }

  #checkRecord(path: string, expected: string, record: unknown): void {
    if (!isRecord(record) || isPolicy(record)) throw optionError(path, expected, record)
    for (const name of Object.keys(record)) this.#checkName(path, name)
  }

  /** Throws for a name that no policy has, unless its member is `notApplicable`. */
  #checkMembers(members: SubjectMembers): void {
    for (const name of Object.keys(members))
      if (!isNotApplicable(members[name])) this.#checkName('subject', name)
  }

  #checkName(path: string, name: string): void {
    if (!this.#names.includes(name)) throw unknownPolicy(path, name, this.#names)
  }

  #policyFor({ name, policy: own }: Lane, { policy, policies }: AnyCheckOptions): Policy | undefined {
    if (policy !== undefined && this.#lanes.length > 1)
      throw optionError('policy', 'policies by name, as this limiter has several', policy)
    const named = policies === undefined ? undefined : memberOf(policies, name)
    const given = named === undefined ? policy : named
    if (given !== undefined && given !== own) this.#accept(readPolicy(given, 'policy'), name)
    return given
  }
}
