import { askStore } from '../ask-store.ts'
import type { Allowed, Decision, Penalty, PerPolicy, Reservation } from '../decision/decision.ts'
import { type Lane, type LaneCheck, lanesOf } from '../decision/lane.ts'
import { type LaneChange, unlimited } from '../decision/limiter-decision.ts'
import { memberOf } from '../decision/members.ts'
import { codedTypeError, optionError } from '../errors.ts'
import { memoryStore } from '../memory/store.ts'
import type { Act, ActReason, Observer } from '../observer.ts'
import { checkNames, isRecord, join } from '../options.ts'
import type { Ability, Policies, Policy } from '../policy.ts'
import { refusalError } from '../refused-error.ts'
import type { Store, StoreRows } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import { spacingUs } from '../strategies/spacing.ts'
import { durationUs } from '../units.ts'
import { readJitter } from '../waiting/jitter.ts'
import { checksActedOn, readReason } from './acting.ts'
import { Delays, type Wait } from './delays.ts'
import type { Arrival } from './line-here.ts'
import { linesAlreadyIn, linesIn } from './lines.ts'
import { type WaitingCaller, waitForPlace } from './places.ts'
import { type AnyCheckOptions, type AnySubject, askNames, PolicyQuestions } from './policy-questions.ts'
import { QuestionLimiter, type UnderWay } from './question-limiter.ts'
import {
  canLine,
  mustStandAlone,
  readMaxWait,
  readPriority,
  readSignal,
  refuseJitter,
  refuseReserving,
} from './reserving.ts'
import { type PolicySettings, unknownPolicy } from './settings.ts'
import { type ReserveOptions, reserveNames, type WaitOptions, waitNames } from './wait-options.ts'

const namesToReserve = [...askNames, ...reserveNames]
const namesToWait = [...askNames, ...waitNames]

/** The limiter at run time, whatever its policies' names. */
export class PolicyLimiter extends QuestionLimiter<AnySubject, AnyCheckOptions> {
  readonly policies: Policies
  readonly lanes: readonly Lane[]
  readonly #delays: Delays
  /** `inherited`: another limiter's lanes, decided in one question with its own. */
  constructor(settings: PolicySettings, inherited: readonly Lane[] = []) {
    const own = lanesOf(settings)
    const lanes = [...inherited, ...own]
    const policies = policiesOf(lanes)
    const store = settings.store ?? memoryStore()
    const accept = (policy: Policy, path: string) => acceptBy(store, policy, path)
    for (const [name, policy] of Object.entries(policies)) accept(policy, `policies.${name}`)
    const questions = new PolicyQuestions(lanes, { charge: settings.charge, accept })
    super(settings, { store, value: valueOfLanes(own), questions, units: settings.units })
    store.prepare?.(Object.values(policies))
    this.lanes = lanes
    this.policies = policies
    this.#delays = new Delays(this.sleepers, () => this.#tooManyWaiting())
  }

  async reserve(subject: AnySubject, options: AnyCheckOptions & ReserveOptions = {}): Promise<Reservation> {
    this.#mustBeAble('reserve')
    checkNames(options, 'options', namesToReserve)
    const { maxWait, ...asked } = options
    const decision = await this.decide(subject, asked, 'reserve', readMaxWait(maxWait))
    return decision as Reservation // every decision of a limiter's own can be cancelled
  }

  /** No async function, as thousands may wait: each would keep a frame of its own. */
  wait(subject: AnySubject, options?: AnyCheckOptions & WaitOptions): Promise<Decision> {
    try {
      this.#mustBeAbleToWait('wait')
      return Promise.resolve(this.#wait(subject, options ?? {}))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #wait(subject: AnySubject, options: AnyCheckOptions & WaitOptions): Decision | Promise<Decision> {
    checkNames(options, 'options', namesToWait)
    const { maxWait, signal, jitter, priority, ...asked } = options
    const wait = {
      maxWaitUs: readMaxWait(maxWait),
      signal: readSignal(signal),
      jitter: readJitter(jitter),
      priority: readPriority(priority),
    }
    if (wait.jitter !== undefined) refuseJitter(this.checksOf(subject, asked))
    if (wait.priority !== undefined) refuseReserving(this.checksOf(subject, asked))
    return this.delay(subject, asked, wait)
  }

  async run<T>(
    subject: AnySubject,
    work: (decision: Allowed) => T | Promise<T>,
    options?: AnyCheckOptions & WaitOptions,
  ): Promise<T> {
    this.#mustBeAbleToWait('run')
    if (typeof work !== 'function') throw optionError('work', 'a function', work)
    const decision = await this.#wait(subject, options ?? {})
    if (!decision.allowed) throw refusalError(decision)
    try {
      return await work(decision)
    } finally {
      await decision.release()
    }
  }

  /** Answers when it is time, at once where there is nothing to wait for: reserves, or stands in line for what is in flight. */
  delay(subject: AnySubject, options: AnyCheckOptions | undefined, wait: Wait): Decision | Promise<Decision> {
    if (this.#standsInLine(options)) return this.#standInLine(subject, options, wait)
    const reserve = (maxWaitUs: number) => this.decide(subject, options, 'reserve', maxWaitUs)
    return this.#delays.delay(reserve, wait)
  }

  /** Asked as a check first: a caller that finds room does not wait, and one that may not pass at all is refused. */
  #standInLine(
    subject: AnySubject,
    options: AnyCheckOptions | undefined,
    wait: Wait,
  ): Decision | Promise<Decision> {
    this.#delays.mustGoOn(wait)
    const asked = this.checksOf(subject, options)
    const checks = this.lists?.screen(asked) ?? asked
    if ('listed' in checks) {
      const { check, listed } = checks
      return this.refuseListed(check.lane.name, { key: check.asked, listed, operation: 'reserve' })
    }
    if (checks.length === 0) return unlimited(this)
    mustStandAlone(checks)
    const about = this.begin(checks, 'reserve')
    const arrival = this.#arrivalOf(checks, wait)
    if (arrival !== undefined && !arrival.isFirst) {
      if (this.sleepers.enter()) return this.#stand(about, { arrival, rows: undefined, wait })
      arrival.leave()
    }
    const first = arrival?.isFirst === true ? arrival : undefined
    try {
      const answer = askStore(this.store, { checks, charge: 'all-or-nothing', maxWaitUs: 0, take: true })
      if (answer instanceof Promise) return this.#standLater(answer, about, { wait, first })
      const next = this.#unlessServed(answer, about, { wait, first })
      return 'arrival' in next ? this.#stand(about, next) : next
    } catch (error) {
      first?.leave()
      throw error
    }
  }

  /** Not by a chain of promises, as those who are served together go on in their order. */
  #standLater(answer: Promise<StoreRows>, about: UnderWay, caller: Waits): Promise<Decision> {
    return new Promise((resolve, reject) => {
      answer
        .then((rows) => {
          const next = this.#unlessServed(rows, about, caller)
          if ('arrival' in next) this.#standUntil(about, next, { resolve, reject })
          else resolve(next)
        })
        .catch((error: unknown) => {
          caller.first?.leave()
          reject(error)
        })
    })
  }

  /** Its place among those of this process, from now on; undefined: it will not wait, whatever is said. */
  #arrivalOf([check]: readonly LaneCheck[], { maxWaitUs, priority = 0 }: Wait): Arrival | undefined {
    if (check === undefined || check.shadow || maxWaitUs === 0) return undefined
    if (check.cost === 0 || check.cost > check.policy.limit) return undefined
    return linesIn(this.store).arrive(check, priority)
  }

  /** The decision of a caller that need not wait, or must not; else how it waits. */
  #unlessServed(rows: StoreRows, about: UnderWay, { wait, first }: Waits): Decision | WaitingCaller {
    try {
      this.#delays.mustGoOn(wait)
    } catch (error) {
      void this.finish(rows, about).release()
      throw error
    }
    const arrival = rows[0]?.reason === 'limited' ? (first ?? this.#arrivalOf(about.checks, wait)) : undefined
    if (arrival !== undefined && this.sleepers.enter()) return { arrival, rows, wait }
    if (arrival !== undefined) this.#tooManyWaiting()
    arrival?.leave()
    first?.leave()
    return this.finish(rows, about)
  }

  #stand(about: UnderWay, waiting: WaitingCaller): Promise<Decision> {
    return new Promise((resolve, reject) => this.#standUntil(about, waiting, { resolve, reject }))
  }

  #standUntil(about: UnderWay, waiting: WaitingCaller, { resolve, reject }: Answered): void {
    const sinceMs = performance.now()
    waitForPlace(waiting, this.sleepers)
      .then((served) => {
        // How long it has stood there is not how long the store took.
        resolve(this.finish(served, { ...about, startedAt: about.startedAt + performance.now() - sinceMs }))
      })
      .catch(reject)
  }

  #tooManyWaiting(): void {
    this.warned(
      'SLUICE_MAX_SLEEPERS',
      'as many callers wait as maxSleepers allows: until some have gone, further ones are refused that would have to wait; raise maxSleepers or shorten maxWait',
    )
  }

  override async close(): Promise<void> {
    this.#delays.close()
    await linesAlreadyIn(this.store)?.settled()
    await super.close()
  }

  /** An act elsewhere, that this process has just heard of. */
  override relay(act: Act, heard: Set<Observer>): void {
    void this.units?.letGo(checksActedOn(act, this.lanes))
    super.relay(act, heard)
  }

  async penalize(subject: AnySubject, penalty: Penalty<string>): Promise<void> {
    this.#mustBeAble('penalize')
    const checks = this.checksOf(subject)
    const charges = this.#unitsFor(checks, penalty, { path: 'penalty', besides: 'wait' })
    if (typeof penalty === 'object' && 'wait' in penalty)
      return this.#raise(checks, durationUs(penalty.wait, 'wait'))
    await this.correct(changesBy(charges, 1))
  }

  /** No correction, which observers hear of: what was admitted was admitted. */
  async reward(subject: AnySubject, units: PerPolicy<string, number>): Promise<void> {
    this.#mustBeAble('reward')
    this.#storeMustBeAble('reward')
    const gifts = this.#unitsFor(this.checksOf(subject), units, { path: 'units' })
    await this.adjust(changesBy(gifts, -1).map((change) => ({ ...change, reward: true as const })))
  }

  async set(subject: AnySubject, used: PerPolicy<string, number>, about?: ActReason): Promise<void> {
    const reason = readReason(about)
    this.#mustBeAble('penalize', 'set')
    this.#storeMustBeAble('set')
    const counts = this.#unitsFor(this.checksOf(subject), used, { path: 'used' })
    await Promise.all(counts.map(({ check, units }) => this.store.manage({ op: 'set', check, units })))
    for (const { check, units } of counts) this.acted([check], { act: 'set', units, ...reason })
  }

  /** By the strategy's own means where it can wait that long, else by a block to the later end. */
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
      await this.store.manage({ op: 'block', check, us, later: true })
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
    if (!isRecord(value)) {
      const units = readUnits(value, path)
      return checks.map((check) => ({ check, units }))
    }
    const names = this.lanes.map(({ name }) => name)
    for (const name of Object.keys(value)) {
      if (name !== besides && !names.includes(name)) throw unknownPolicy(path, name, names)
    }
    if (besides !== undefined && besides in value) return []
    return checks.flatMap((check) => {
      const units = memberOf(value, check.lane.name)
      return units === undefined ? [] : [{ check, units: readUnits(units, path) }]
    })
  }

  /** `verb`: what the caller has called. Policies that are chosen for each call are looked at then. */
  #mustBeAble(ability: Ability, verb: LimiterVerb = ability): void {
    for (const { name, policy } of this.lanes) {
      if (policy === null || partsOf(policy).definition.can.includes(ability)) continue
      throw unsupported(verb, `the strategy of policy "${name}", ${policy.strategy},`)
    }
  }

  #storeMustBeAble(ability: 'reward' | 'set' | 'line', verb: LimiterVerb = ability): void {
    if (this.store.can?.includes(ability) !== true) throw unsupported(verb, `the store ${this.store.name}`)
  }

  /** Every policy can reserve, or the only one has a line. */
  #mustBeAbleToWait(verb: 'wait' | 'run'): void {
    if (this.lanes.some(({ policy }) => canLine(policy))) {
      mustStandAlone(this.lanes)
      this.#storeMustBeAble('line', verb)
    } else {
      this.#mustBeAble('reserve', verb)
    }
  }

  /** true where a caller that waits stands in line for what is in flight, false where it reserves. */
  #standsInLine({ policy, policies = {} }: AnyCheckOptions = {}): boolean {
    return this.lanes.some((lane) => canLine(memberOf(policies, lane.name) ?? policy ?? lane.policy))
  }
}

/** Refuses a policy that the store cannot hold, or whose keys it cannot block. */
function acceptBy(store: Store, policy: Policy, path: string): void {
  if (partsOf(policy).blocking !== undefined && store.can?.includes('blockFor') !== true)
    throw optionError(join(path, 'blockFor'), 'to be left out, as the store cannot block', store.name)
  store.accept?.(policy, path)
}

/** A caller that may wait; `first`: its arrival, where nobody of this process comes before it. */
interface Waits {
  readonly wait: Wait
  readonly first: Arrival | undefined
}

/** What becomes of a caller that waits. */
interface Answered {
  resolve(decision: Decision): void
  reject(error: unknown): void
}

/** Units for one policy. */
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
type LimiterVerb = Ability | 'wait' | 'run' | 'set'

function unsupported(verb: LimiterVerb, who: string): TypeError {
  const cannot = verb === 'run' ? 'wait' : verb
  return codedTypeError(`limiter.${verb}: ${who} cannot ${cannot}`, { code: 'SLUICE_UNSUPPORTED' })
}

function policiesOf(lanes: readonly Lane[]): Policies {
  const policies: { [name: string]: Policy } = {}
  for (const { name, policy } of lanes) if (policy !== null) policies[name] = policy
  return Object.freeze(policies)
}

/** Longest wait that the strategy's own state can say. */
function raisableUs(policy: Policy): number {
  const { definition, numbers } = partsOf(policy)
  return (definition.debtUs?.(numbers) ?? 0) + spacingUs(policy, 1)
}

const unitsExpected = {
  penalty: 'a whole number of at least 0, or { wait: "10s" }',
  units: 'a whole number of at least 0, or one by policy',
  used: 'a whole number of at least 0, or one by policy',
}
type UnitsPath = keyof typeof unitsExpected

function readUnits(value: unknown, path: UnitsPath): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw optionError(path, unitsExpected[path], value)
}

function valueOfLanes(lanes: readonly Lane[]): string {
  const values = lanes.map(
    ({ name, policy, tag }) =>
      `${name} ${tag} ${policy === null ? 'chosen for each call' : partsOf(policy).value}`,
  )
  return values.sort().join('\n')
}
