import type { Decision, Listed, Refused, Store, Subject } from '@sluice/core'
import {
  checkNames,
  decisions,
  isLater,
  limiters,
  optionError,
  partsOf,
  runningTime,
} from '@sluice/core/internal'
import { asError } from './as-error.ts'
import type { Ended } from './ending.ts'
import type { Field } from './fields.ts'
import { limiterFor } from './limiter-for.ts'
import { MadePerRequest } from './made-per-request.ts'
import { checkMaxWait, isClosedError, tooShort, waitOf } from './max-wait.ts'
import { noteKeys } from './network-keys.ts'
import type { AnyOptions, Handle, Maybe, RateLimitOptions } from './options.ts'
import { refusalOf } from './problem.ts'
import { isRefusal } from './refusal.ts'
import { mergeFields, PassedGate, type RequestState, stateOf } from './request-state.ts'
import {
  AddressWarnings,
  headerOf,
  type Outcome,
  type Refusal,
  type RequestFacts,
  type RequestView,
  viewOf,
} from './request-view.ts'
import { spreadRetries } from './retry-jitter.ts'
import {
  type CostAbout,
  checkCost,
  fixedPolicies,
  gateNames,
  type PoliciesByName,
  type Rules,
  readChoices,
  readRules,
  refuseSettings,
} from './rules.ts'
import { checkSlowDown, delayOf, isTurnedAway, type SlowDownRule, slowed } from './slow-down.ts'
import { SlowReaders } from './slow-readers.ts'
import { type GateLimiter, SubjectReader } from './subject.ts'
import type { Work } from './work.ts'

/** One request as a framework hands it over. */
export interface Exchange<Req> {
  readonly request: Req
  readonly facts: RequestFacts
  readonly state: RequestState
  /** The state of this call, where one request carries several that are counted separately. @default state */
  readonly call?: RequestState
}

/** What a gate says of a request: plain data for whatever server runs it. A refused one becomes an answer by `gate.refuse`. */
export interface GateOutcome extends Outcome {
  readonly headers: readonly Field[]
  readonly refusal: null
  /** The client has gone, and nothing was counted: no route runs. */
  readonly gone?: true
  /** It holds places in flight until the response and the handler are over. */
  readonly inFlight?: boolean
  /** To be called when the response is over. */
  readonly onEnd?: ((ended: Ended) => void) | undefined
  /** Of an allowed request that holds places in flight, once it is handled. */
  work?: Work | undefined
}

/** What a gate says of a request that it has counted. */
class Counted implements GateOutcome {
  declare readonly decision: Decision
  declare readonly headers: readonly Field[]
  declare readonly onEnd: GateOutcome['onEnd']
  declare readonly inFlight: boolean
  declare readonly refusal: null
  declare work: Work | undefined

  constructor(decision: Decision, headers: readonly Field[], onEnd: GateOutcome['onEnd'], inFlight: boolean) {
    this.decision = decision
    this.headers = headers
    this.onEnd = onEnd
    this.inFlight = inFlight
    this.refusal = null
    this.work = undefined
  }
}

const uncounted: GateOutcome = { decision: null, headers: [], refusal: null }
const gone: GateOutcome = { ...uncounted, gone: true }

/** The entry of an address on `denyList`. */
const denied: Listed = { list: 'deny', endsInMs: Number.POSITIVE_INFINITY }

/** Decides about requests. It knows no server: what it decides is data, which an adapter's driver writes and ends. */
export class Gate<Req extends object> {
  readonly limiter: GateLimiter
  /** Refusals are handed to the framework's error handler. */
  readonly refusesByError: boolean
  /** It needs `onEnd` to be called for each response. */
  readonly settles: boolean
  /** Its requests may hold places in flight that end with their work. */
  readonly holds: boolean
  /** Of the requests that hold places. */
  readonly readers: SlowReaders
  readonly #rules: Rules
  readonly #options: AnyOptions<Req>
  readonly #reader: SubjectReader<Req>
  readonly #warnings: AddressWarnings
  /** undefined: it was made ahead of its requests, or is kept for more than one, or its limiter was made elsewhere. */
  #made: MadePerRequest | undefined
  readonly #fieldRules: { readonly rules: Rules; readonly nowMs: () => number }

  constructor(
    options: AnyOptions<Req>,
    {
      limiter,
      rules,
      isOwn = false,
      nowMs = Date.now,
      beside,
    }: {
      limiter: GateLimiter
      rules: Rules
      isOwn?: boolean
      nowMs?: () => number
      beside?: { gate: Gate<Req>; names: readonly string[] } | undefined
    },
  ) {
    this.#options = options
    this.#rules = rules
    this.limiter = limiter
    this.refusesByError = rules.refuseByError
    this.settles = options.settle !== undefined
    this.#reader = new SubjectReader(
      options,
      limiter,
      beside && { reader: beside.gate.#reader, names: beside.names },
    )
    this.holds = !rules.releaseOnAbort && (this.#reader.chooses || mayHold(limiter))
    this.readers = new SlowReaders(limiter.store?.clock ?? runningTime, rules.sendTimeoutUs)
    noteKeys(limiter, options.key === undefined ? rules.ipv6Prefix : null)
    const { sendTimeout, retryJitter, maxWait } = options
    limiters.warnOfShortTimes(limiter, { sendTimeout, retryJitter, maxWait: tooShort(maxWait) }, true)
    if (rules.maxWaitUs > 0) checkMaxWait(limiter, rules.maxWaitUs)
    if (rules.slowDown !== undefined) checkSlowDown(limiter, rules.slowDown)
    this.#warnings = new AddressWarnings(limiter)
    if (isOwn)
      this.#made = new MadePerRequest(limiter, () => {
        this.#made = undefined
      })
    this.#fieldRules = { rules, nowMs }
  }

  /** Throws and rejects with what the user's own functions throw. */
  decide(exchange: Exchange<Req>): Maybe<GateOutcome> {
    const { request, facts, state, call = state } = exchange
    // A router that is mounted twice runs its middleware twice: counted once. What was refused stays refused.
    const earlier = call.decisionOf(this)
    if (earlier !== undefined) return { ...uncounted, decision: earlier }
    const view = viewOf(facts, this.#rules.ipv6Prefix)
    // The address is gone with the connection, so neither the lists nor the default key can be applied.
    if (view.address === undefined && state.gone) return gone
    this.#made?.asked()
    this.#warnings.look(view, facts)
    const { address } = view
    if (address !== undefined) {
      if (this.#rules.denied?.(address) === true) return this.#finish(exchange, this.#refuse(view, denied))
      const listed = this.limiter.lists?.ofAddress(address)
      if (listed !== undefined && listed.list !== 'allow')
        return this.#finish(exchange, this.#refuse(view, listed))
      if (listed !== undefined || this.#rules.allowed?.(address) === true) return this.#finish(exchange, null)
    }
    if (this.#rules.maxWaitUs > 0) return this.#delay(exchange, view)
    if (this.#rules.slowDown !== undefined) return this.#slow(exchange, { view, rule: this.#rules.slowDown })
    const decision = this.#reader.ask(request, view)
    return isLater(decision)
      ? Promise.resolve(decision).then((decided) => this.#finish(exchange, decided))
      : this.#finish(exchange, decision)
  }

  /** Never refuses: the more the key has used, the longer the request is delayed. */
  async #slow(
    exchange: Exchange<Req>,
    { view, rule }: { view: RequestView; rule: SlowDownRule },
  ): Promise<GateOutcome> {
    const { request, state, call = state } = exchange
    const decision = await this.#reader.ask(request, view)
    // A blocked or listed client is refused as elsewhere.
    if (decision !== null && isTurnedAway(decision)) return this.#finish(exchange, decision)
    call.passed = new PassedGate(this, null, call.passed)
    const known = decision !== null && decision.reason !== 'store-unavailable'
    const goesOn = await slowed(this.limiter, state, known ? delayOf(rule, decision) : 0)
    return goesOn ? uncounted : gone
  }

  /** Decided when its time has come, unless the client has gone before. */
  async #delay(exchange: Exchange<Req>, view: RequestView): Promise<GateOutcome> {
    const wait = waitOf(exchange.state, this.#rules.maxWaitUs)
    let decision: Decision | null
    try {
      decision = await this.#reader.ask(exchange.request, view, wait)
    } catch (thrown) {
      if (wait.signal.aborted && thrown === wait.signal.reason) return gone
      if (!isClosedError(thrown)) throw thrown
      decision = decisions.refusedUncounted(this.limiter.name, '', {
        key: view.network,
        reason: 'store-unavailable',
        retryAfterMs: 1000,
      })
    }
    return this.#finish(exchange, decision)
  }

  #finish({ request, state, call = state }: Exchange<Req>, decided: Decision | null): GateOutcome {
    const decision = decided === null || isUnlimited(decided) ? null : decided
    call.passed = new PassedGate(this, decision, call.passed)
    if (decision === null) return uncounted
    decisions.giveClient(decision, state)
    if (!decision.allowed && this.#rules.retryJitterMs > 0) spreadRetries(decision, this.#rules.retryJitterMs)
    const headers = mergeFields(state, decision, this.#fieldRules)
    this.#lookForNamesake(call, decision, state.draft === 8 && this.#rules.draft !== false)
    if (!decision.allowed) return new Counted(decision, headers, undefined, false)
    if (this.#rules.releaseOnAbort) state.onClose(() => void decision.release())
    const onEnd = this.settles ? (ended: Ended) => void this.#settle(request, decision, ended) : undefined
    return new Counted(decision, headers, onEnd, this.holds && decisions.holdsLeases(decision))
  }

  /** The answer to a refused request, as `onRefused` leaves it. */
  refuse({ request, facts }: Exchange<Req>, refused: Refused): Maybe<Refusal> {
    const refusal = refusalOf(refused, headerOf(facts, 'accept'))
    const answer = this.#options.onRefused?.(request, refused, refusal)
    return isLater(answer) ? changedLater(refusal, answer) : changed(refusal, answer)
  }

  async #settle(request: Req, decision: Decision, ended: Ended): Promise<void> {
    try {
      const cost = await this.#options.settle?.(request, ended)
      if (cost === undefined) return
      checkCost(cost, 'settle', { policies: policiesOf(this.limiter) })
      await decision.settle(cost)
    } catch (thrown) {
      this.limiter.warned?.({
        code: 'SLUICE_SETTLE_FAILED',
        message: `the charge stays, as settle failed: ${asError(thrown).message}`,
      })
    }
  }

  /** Warns of two limiters of one name on a request: they have one count, or a client cannot tell their items of a field apart. */
  #lookForNamesake({ passed }: RequestState, { limiter: name, key }: Decision, hasItems: boolean): void {
    const { limiter } = this
    for (let each = passed; each !== undefined; each = each.before) {
      const { gate, decision } = each
      if (gate === this || decision?.limiter !== name) continue
      const haveOneCount =
        gate.limiter !== limiter && mayShare(gate.limiter.store, limiter.store) && decision.key === key
      if (hasItems || haveOneCount)
        limiter.warned?.({
          code: 'SLUICE_SAME_NAME',
          message: `two limiters called "${name}" answer one request: rename one`,
        })
    }
  }

  /** A decider that is no limiter of ours has no lists that change: its requests are refused by `denyList` alone. */
  #refuse({ network: key }: RequestView, listed: Listed): Refused {
    const { limiter } = this
    return (
      limiter.refuseListed?.(limiter.firstPolicy ?? '', { key, listed, operation: 'check' }) ??
      decisions.refusedUncounted(limiter.name, '', { key, reason: 'denied', retryAfterMs: null })
    )
  }

  /** What is counted for a request. */
  keyOf(request: Req, facts: RequestFacts): Promise<unknown> {
    return this.#reader.subjectOf(request, viewOf(facts, this.#rules.ipv6Prefix))
  }

  decisionFor(request: Req): Decision | undefined {
    return stateOf(request).decisionOf(this) ?? undefined
  }
}

/** Whether two limiters count in one place: on one store, or on two of one prefix, which most likely reach one Redis. */
function mayShare(a: Store | undefined, b: Store | undefined): boolean {
  return a === b || (a?.prefix !== undefined && a.prefix === b?.prefix)
}

/** A decision about nothing is as good as skipped. */
function isUnlimited({ allowed, limit }: Decision): boolean {
  return allowed && limit === Number.POSITIVE_INFINITY
}

async function changedLater(given: Refusal, answer: PromiseLike<unknown>): Promise<Refusal> {
  return changed(given, await answer)
}

/** `onRefused` has returned another refusal, or nothing and may have changed the one that it was given. */
function changed(given: Refusal, answer: unknown): Refusal {
  const refusal = answer ?? given
  if (isRefusal(refusal)) return refusal
  const expected = 'nothing, or { status, type, body }: a number from 200 to 599 and two texts'
  throw optionError('onRefused', expected, refusal)
}

/** true where a decision may hold places in flight: policies that are chosen for each request, and those of other deciders, may. */
function mayHold({ lanes }: GateLimiter): boolean {
  return lanes === undefined || lanes.some(({ policy }) => policy === null || partsOf(policy).inFlight)
}

/** undefined where a decider does not give them. */
export function policiesOf({ lanes }: Pick<GateLimiter, 'lanes'>): PoliciesByName | undefined {
  return lanes && Object.fromEntries(lanes.map(({ name, policy }) => [name, policy]))
}

/**
 * Refuses what a framework hands over where `rateLimit` stands for `rateLimit({ … })` (a request or a context, or the instance that takes
 * plugins), and a second argument.
 */
export function checkArguments(given: unknown, more: readonly unknown[]): void {
  const handed: object = Object(given)
  if ('url' in handed || 'req' in handed || 'register' in handed) {
    const called = 'app.use(rateLimit({ policy: gcra({ … }) })), with the package of your framework'
    throw optionError('options', `an object of options: write ${called}`, given)
  }
  limiters.oneArgument(more)
}

/** Checks what is asked of the policies, as far as they are known: one that a request chooses may have a calendar. */
function checkAsked({ cost, policy, since }: AnyOptions<never>, about: CostAbout): void {
  checkCost(cost, 'cost', about)
  const policies = Object.values(about.policies ?? {})
  const known = policies.flatMap((each) => (each === null ? [] : { policy: each }))
  if (typeof policy !== 'function' && known.length === policies.length) limiters.mustFollow(known, since)
}

/** A gate from a user's options; `extra` names options that an adapter adds. */
export function createGate<Req extends object, N extends string = string, S = Subject<N>>(
  given: RateLimitOptions<Req, N, S> | AnyOptions<Req>,
  extra: readonly string[] = [],
): Gate<Req> {
  const options = given as AnyOptions<Req> // whatever the policies are called: names are checked at run time
  checkNames(options, '', [...gateNames, ...extra], limiters.noSuchOptionHere)
  const rules = readRules(options)
  if (options.limiter !== undefined) {
    const limiter = options.limiter as GateLimiter // asked as its own key function answers
    refuseSettings(options, limiter?.lanes)
    checkAsked(options, { policies: policiesOf(limiter), prices: limiter.prices })
    return new Gate(options, { limiter, rules })
  }
  const policies = fixedPolicies(readChoices(options))
  const settings = limiters.settingsFor(options, policies)
  checkAsked(options, { policies, prices: settings.prices })
  return new Gate(options, { limiter: limiterFor(options, { settings, rules }), rules, isOwn: true })
}

/** A middleware that carries its limiter, the keys of a request and its own decision. */
export function withHandle<M extends object, Req extends object, N extends string>(
  middleware: M,
  gate: Gate<Req>,
  factsOf: (request: Req) => RequestFacts,
): M & Handle<Req, N> {
  const handle = {
    limiter: gate.limiter,
    keyOf: (request: Req) => gate.keyOf(request, factsOf(request)),
    decisionFor: (request: Req) => gate.decisionFor(request),
  } as unknown as Handle<Req, N> // the gate was made from options of these names
  return Object.assign(middleware, handle)
}
