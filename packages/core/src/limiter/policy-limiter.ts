import type { Act, ActReason } from '../act.ts'
import { type AnyCheckOptions, type AnySubject, askedPolicy } from '../call-options.ts'
import type { Allowed, Decision, Penalty, PerPolicy, Reservation } from '../decision/decision.ts'
import { type Lane, type LaneCheck, lanesOf } from '../decision/lane.ts'
import type { LaneChange } from '../decision/limiter-decision.ts'
import { memberOf, unitsByPolicy } from '../decision/per-policy.ts'
import { codedTypeError, optionError } from '../errors.ts'
import { memoryStore } from '../memory/store.ts'
import type { Observer } from '../observer.ts'
import { hints, isRecord, join } from '../options.ts'
import type { Ability, Policies, Policy } from '../policy.ts'
import { type Reserving, reservingOf } from '../reserving/ability.ts'
import type { ReserveOptions, WaitOptions } from '../reserving/options.ts'
import type { Store } from '../store.ts'
import { partsOf, scaleOf, spacingUs } from '../strategies/policy-parts.ts'
import { readAmount } from '../strategies/unit.ts'
import { durationUs } from '../units.ts'
import type { Wait } from '../waiting/wait.ts'
import { checksActedOn, readReason } from './acting.ts'
import { unknownPolicy } from './policy-names.ts'
import { PolicyQuestions } from './policy-questions.ts'
import { checkPrices } from './prices.ts'
import { QuestionLimiter } from './question-limiter.ts'
import type { PolicySettings } from './settings.ts'

/** The limiter at run time, whatever its policies' names. */
export class PolicyLimiter extends QuestionLimiter<AnySubject, AnyCheckOptions> {
  readonly policies: Policies
  readonly lanes: readonly Lane[]
  /** `inherited`: another limiter's lanes, decided in one question with its own. */
  constructor(settings: PolicySettings, inherited: readonly Lane[] = []) {
    const own = lanesOf(settings)
    const lanes = [...inherited, ...own]
    const policies = policiesOf(lanes)
    const store = settings.store ?? memoryStore()
    for (const [name, policy] of Object.entries(policies)) acceptBy(store, policy, `policies.${name}`)
    checkPrices(settings.prices, lanes)
    const accepted = new WeakSet<Policy>()
    const accept = (policy: Policy, name: string) => {
      if (accepted.has(policy)) return
      acceptBy(store, policy, 'policy')
      hints.warnOfPolicy?.(this, name, policy)
      accepted.add(policy)
    }
    const questions = new PolicyQuestions(lanes, { charge: settings.charge, accept, prices: settings.prices })
    super(settings, { store, value: valueOfLanes(own), questions })
    store.prepare?.(Object.values(policies), { constant: true })
    this.lanes = lanes
    this.policies = policies
  }

  /** Throws before the question: a store that answers later would have charged by the time that this is noticed. */
  checkNow(subject: AnySubject, options?: AnyCheckOptions): Decision {
    if (this.asked.atOnce !== true) throw unsupported('checkNow', `the store ${this.store.name}`)
    return this.decide(subject, options, 'check') as Decision // as such a store answers at once
  }

  async reserve(subject: AnySubject, options: AnyCheckOptions & ReserveOptions = {}): Promise<Reservation> {
    const decision = await this.#reserving('reserve').reserve(this, subject, options)
    return decision as Reservation // every decision of a limiter's own can be cancelled
  }

  /** No async function, as thousands may wait: each would keep a frame of its own. */
  wait(subject: AnySubject, options: AnyCheckOptions & WaitOptions = {}): Promise<Decision> {
    try {
      return Promise.resolve(this.#reserving('wait').wait(this, subject, options))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async run<T>(
    subject: AnySubject,
    work: (decision: Allowed) => T | Promise<T>,
    options: AnyCheckOptions & WaitOptions = {},
  ): Promise<T> {
    return this.#reserving('run').run(this, subject, { work, options })
  }

  /** Reserves, and answers when the caller's time has come; at once if there is nothing to wait for. */
  delay(subject: AnySubject, options: AnyCheckOptions = {}, wait: Wait): Decision | Promise<Decision> {
    const reserving = this.#reservingFor(options)
    if (reserving !== undefined) return reserving.delay(this, subject, { options, wait })
    // No policy can reserve: making the question throws that error.
    return this.decide(subject, options, 'reserve', wait.maxWaitUs)
  }

  #reserving(verb: 'reserve' | 'wait' | 'run'): Reserving {
    const reserving = this.#reservingFor({})
    if (reserving !== undefined) return reserving
    this.mustBeAble('reserve', verb)
    throw unsupported(verb, 'a policy chosen for the call')
  }

  #reservingFor(options: AnyCheckOptions): Reserving | undefined {
    for (const lane of this.lanes) {
      const asked = askedPolicy(lane, options)
      const reserving = asked === null ? undefined : reservingOf(asked)
      if (reserving !== undefined) return reserving
    }
    return undefined
  }

  /** Tells the store and the observers of an act elsewhere, of which this process has just heard. */
  override relay(act: Act, heard: Set<Observer>): void {
    this.asked.changed?.(checksActedOn(act, this.lanes), act)
    super.relay(act, heard)
  }

  async penalize(subject: AnySubject, penalty: Penalty<string>): Promise<void> {
    this.mustBeAble('penalize')
    const checks = this.checksOf(subject)
    const charges = this.#unitsFor(checks, penalty, { path: 'penalty', besides: 'wait' })
    if (typeof penalty === 'object' && 'wait' in penalty)
      return this.#raise(checks, durationUs(penalty.wait, 'wait'))
    await this.correct(changesBy(charges, 1))
  }

  /** Observers do not hear of a reward as of a correction: the requests that were admitted stay admitted. */
  async reward(subject: AnySubject, units: PerPolicy<string, number>): Promise<void> {
    this.mustBeAble('reward')
    this.storeMustBeAble('reward')
    const gifts = this.#unitsFor(this.checksOf(subject), units, { path: 'units' })
    await this.adjust(changesBy(gifts, -1).map((change) => ({ ...change, reward: true as const })))
  }

  async set(subject: AnySubject, used: PerPolicy<string, number>, about?: ActReason): Promise<void> {
    const reason = readReason(about)
    this.mustBeAble('penalize', 'set')
    this.storeMustBeAble('set')
    const counts = this.#unitsFor(this.checksOf(subject), used, { path: 'used' })
    await Promise.all(counts.map(({ check, units }) => this.asked.manage({ op: 'set', check, units })))
    for (const { check, units } of counts)
      this.acted([check], { act: 'set', units: units / scaleOf(check), ...reason })
  }

  /** Raises the wait in the strategy's own state if that can express it, else by a block; of two blocks the later end holds. */
  async #raise(checks: readonly LaneCheck[], waitUs: number): Promise<void> {
    for (const check of checks) {
      if (waitUs <= raisableUs(check.policy)) {
        await this.correct([{ check, receipt: null, byUnits: 0, atLeastUs: waitUs }])
      } else {
        await this.#pause(check, waitUs)
      }
    }
  }

  async #pause(check: LaneCheck, us: number): Promise<void> {
    try {
      await this.asked.manage({ op: 'block', check, us, later: true })
    } catch {
      // The store has counted and reported its failure, and this process's fallback refuses the key meanwhile.
    }
  }

  /** The units for each policy; none for one that a record leaves out. `besides`: a name in a record that is no policy's. */
  #unitsFor(
    checks: readonly LaneCheck[],
    value: unknown,
    { path, besides }: { path: UnitsPath; besides?: string },
  ): readonly UnitsFor[] {
    if (!isRecord(value)) return checks.map((check) => ({ check, units: readUnits(value, path, check) }))
    const names = this.lanes.map(({ name }) => name)
    for (const name of Object.keys(value)) {
      if (name !== besides && !names.includes(name)) throw unknownPolicy(path, name, names)
    }
    if (besides !== undefined && besides in value) return []
    return checks.flatMap((check) => {
      const units = memberOf(value, check.lane.name)
      return units === undefined ? [] : [{ check, units: readUnits(units, path, check) }]
    })
  }

  /** Throws if a policy lacks the ability. `verb`: what the caller has called. A policy that is chosen for each call is checked then. */
  mustBeAble(ability: Ability, verb: LimiterVerb = ability): void {
    for (const { name, policy } of this.lanes) {
      if (policy === null) continue
      const { can, later } = partsOf(policy).definition
      if (can.includes(ability)) continue
      const how = ability === 'reserve' ? later?.how : undefined
      throw unsupported(verb, `the strategy of policy "${name}", ${policy.strategy},`, how)
    }
  }

  storeMustBeAble(ability: 'reward' | 'set' | 'line', verb: LimiterVerb = ability): void {
    if (this.store.can?.includes(ability) !== true) throw unsupported(verb, `the store ${this.store.name}`)
  }
}

/** Refuses a policy that the store cannot hold, or whose keys it cannot block. */
function acceptBy(store: Store, policy: Policy, path: string): void {
  if (partsOf(policy).blocking !== undefined && store.can?.includes('blockFor') !== true)
    throw optionError(join(path, 'blockFor'), 'to be left out, as the store cannot block', store.name)
  store.accept?.(policy, path)
}

interface UnitsFor {
  readonly check: LaneCheck
  readonly units: number
}

function changesBy(units: readonly UnitsFor[], sign: 1 | -1): LaneChange[] {
  return units.flatMap(({ check, units }) =>
    units === 0 ? [] : [{ check, receipt: null, byUnits: sign * units }],
  )
}

/** What a limiter is asked to do that not all strategies, or stores, can. */
type LimiterVerb = Ability | 'wait' | 'run' | 'set' | 'checkNow'

function unsupported(verb: LimiterVerb, who: string, how?: string): TypeError {
  const cannot = verb === 'run' ? 'wait' : verb === 'checkNow' ? 'answer at once' : verb
  const write = how === undefined ? '' : `: write ${how}`
  return codedTypeError(`limiter.${verb}: ${who} cannot ${cannot}${write}`, { code: 'SLUICE_UNSUPPORTED' })
}

function policiesOf(lanes: readonly Lane[]): Policies {
  const policies: { [name: string]: Policy } = {}
  for (const { name, policy } of lanes) if (policy !== null) policies[name] = policy
  return Object.freeze(policies)
}

/** Longest wait that the strategy's own state can say. */
function raisableUs(policy: Policy): number {
  const { definition, numbers } = partsOf(policy)
  if (definition.raise === undefined) return 0
  return (definition.debtUs?.(numbers) ?? 0) + spacingUs(policy, 1)
}

const unitsExpected = {
  penalty: 'a whole number of at least 0, or { wait: "10s" }',
  units: unitsByPolicy,
  used: unitsByPolicy,
}
type UnitsPath = keyof typeof unitsExpected

function readUnits(value: unknown, path: UnitsPath, check: LaneCheck): number {
  return readAmount(value, path, scaleOf(check), unitsExpected[path])
}

function valueOfLanes(lanes: readonly Lane[]): string {
  const values = lanes.map(
    ({ name, policy, tag }) =>
      `${name} ${tag} ${policy === null ? 'chosen for each call' : partsOf(policy).value}`,
  )
  return values.sort().join('\n')
}
