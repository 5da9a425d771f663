import type { Act, ActReason } from '../act.ts'
import { askStore, isLater } from '../answers.ts'
import { monotonicClock, realClock } from '../clock.ts'
import type { Decision, Inspection, Refused, Taking } from '../decision/decision.ts'
import type { LaneCheck, LaneQuestion, PlainLane } from '../decision/lane.ts'
import {
  decisionOf,
  denied,
  holdsLease,
  type LaneChange,
  type Origin,
  plainDecision,
  refusedUncounted,
  type UncountedRefusal,
  unlimited,
} from '../decision/limiter-decision.ts'
import type { PolicyVerdict } from '../decision/verdict.ts'
import { codedError, optionError } from '../errors.ts'
import type { Key } from '../key.ts'
import type { Listed } from '../lists.ts'
import type { Observer, Operation, Reports } from '../observer.ts'
import { hints } from '../options.ts'
import { type Begun, type LeasingLimiter, type Places, placesOf } from '../places/ability.ts'
import type { Asker, Charge, Counter, LimiterHealth, Store, StoreRows, Warning } from '../store.ts'
import { partsOf, scaleOf } from '../strategies/policy-parts.ts'
import { type Duration, durationUs, msUp } from '../units.ts'
import type { Sleepers, SleepersOwner } from '../waiting/sleepers.ts'
import { actsOn, readReason } from './acting.ts'
import { inspectAll } from './inspecting.ts'
import { LimiterLife } from './life.ts'
import { LimiterLists, refusalBy } from './limiter-lists.ts'
import type { Prices } from './prices.ts'
import type { CommonSettings } from './settings.ts'
import { type Accepts, acceptsOf, asCharged, type Takes, takesInCheckOnly, upToQuestion } from './up-to.ts'

/** A question that is refused without a count, by the policy of that name. */
interface Denial {
  readonly deniedBy: string
  readonly key: Key
}

/** What most limiters are: one policy, always the same, that a store in this process counts. */
export interface Plain {
  readonly lane: PlainLane
  readonly counter: Counter
}

/** Turns what a caller asks into checks. Throws TypeErrors for what makes no sense. */
export interface Questions<Subject, Options> {
  readonly charge: Charge
  /** The policy that a decision without a verdict names. */
  readonly firstPolicy: string
  /** undefined, or left out: every question is turned into checks. */
  plain?(store: Store): Plain | undefined
  ask(subject: Subject, options: Options | undefined): readonly LaneCheck[] | Denial
  /** The checks whose keys `block`, `unblock` and `reset` change. @default those of `ask` */
  managed?(subject: Subject): readonly LaneCheck[]
}

/** A key that an entry of a list refuses, and what was asked about it. */
interface ListRefusal {
  readonly key: Key
  readonly listed: Listed
  readonly operation: Operation
}

/** Turns the store's answer into the decision that the caller gets. */
interface Finishing {
  finish(rows: StoreRows, about: Begun): Decision
}

/**
 * A question to a store that may answer later; if it does, also the caller's promise of a decision. As there is one for each check, its
 * members are only declared, so that none is defined before it is set, and none is private, which costs more in a young process.
 */
class UnderWay implements Asker, Begun {
  declare readonly by: Finishing
  declare readonly question: LaneQuestion
  declare readonly operation: Operation
  declare readonly startedAt: number
  declare resolve: ((decision: Decision) => void) | undefined
  declare reject: ((error: unknown) => void) | undefined

  constructor(by: Finishing, question: LaneQuestion, operation: Operation, startedAt: number) {
    this.by = by
    this.question = question
    this.operation = operation
    this.startedAt = startedAt
  }

  /** Makes the caller's promise; called only if the answer has not come at once. */
  promise(): Promise<Decision> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }

  answered(rows: StoreRows): void {
    try {
      this.resolve?.(this.by.finish(rows, this))
    } catch (error) {
      this.reject?.(error)
    }
  }

  failed(error: unknown): void {
    this.reject?.(error)
  }
}

/** A question, made by a constructor: decision/lane.ts says why. */
class QuestionShape implements LaneQuestion {
  declare readonly checks: readonly LaneCheck[]
  declare readonly charge: Charge
  declare readonly maxWaitUs: number
  declare readonly take: boolean

  constructor(checks: readonly LaneCheck[], charge: Charge, maxWaitUs: number, take: boolean) {
    this.checks = checks
    this.charge = charge
    this.maxWaitUs = maxWaitUs
    this.take = take
  }
}

/** A limiter at run time, whatever its questions are. */
export class QuestionLimiter<Subject, Options extends Takes>
  implements Origin, LeasingLimiter, SleepersOwner
{
  readonly check: (subject: Subject, options?: Options) => Promise<Taking>
  readonly name: string
  readonly prices: Prices | undefined
  readonly store: Store
  /** The store that is asked: `store`, or the limiter's own around it. */
  protected readonly asked: Store
  readonly storeName: string
  readonly firstPolicy: string
  readonly maxSleepers: number
  sleepers: Sleepers | undefined
  places: Places | undefined
  closedBy: Error | undefined
  readonly #questions: Questions<Subject, Options>
  readonly life: LimiterLife
  readonly #reports: Reports
  readonly #ownsAsked: boolean
  /** undefined: there are none, and no request spends time on them. */
  readonly lists: LimiterLists | undefined
  /** undefined if an observer hears of decisions, or there are lists. */
  readonly #plain: Plain | undefined
  /** The same if an observer hears of decisions. A member of its own, so that V8 compiles the fast path without the reports. */
  readonly #watched: Plain | undefined

  constructor(
    settings: CommonSettings,
    about: { store: Store; value: string; questions: Questions<Subject, Options> },
  ) {
    // A function of its own, as callers may use it without its limiter. Not `bind`, which V8 does not inline where several limiters ask.
    this.check = (subject: Subject, options?: Options) => this.#promised(subject, options, 'check')
    this.name = settings.name
    this.prices = settings.prices
    this.store = about.store
    this.storeName = this.store.name
    this.asked = settings.around ?? this.store
    this.#ownsAsked = settings.store === undefined || settings.around !== undefined
    this.#questions = about.questions
    this.firstPolicy = about.questions.firstPolicy
    this.maxSleepers = settings.maxSleepers
    this.life = new LimiterLife(settings, about)
    this.#reports = this.life.reports
    this.lists = settings.lists.length === 0 ? undefined : new LimiterLists(this.name, settings.lists)
    const plain = this.lists === undefined ? about.questions.plain?.(this.asked) : undefined
    if (this.#reports.watched) this.#watched = plain
    else this.#plain = plain
    this.#reports.tell('limiterOpened', this)
  }

  nowUs(): number {
    return (this.store.clock ?? monotonicClock).nowUs()
  }

  /** A decision at once where the store answers at once, else a promise of it. */
  decide(
    subject: Subject,
    options: Options | undefined,
    operation: Operation,
    maxWaitUs = 0,
  ): Decision | Promise<Decision> {
    // Fast path: what most callers ask of a store in this process. All else is split out so that V8 can inline this.
    const plain = this.#plain
    return plain !== undefined && isPlain(subject, options, operation)
      ? plainDecision(this, plain.counter.take(subject), plain.lane, subject)
      : this.#decideAny(subject, options, operation, maxWaitUs)
  }

  /** The fast path of `decide` if an observer hears of decisions. */
  #decideWatched({ counter, lane }: Plain, key: string): Decision {
    const startedAt = performance.now()
    const decision = plainDecision(this, counter.take(key), lane, key)
    this.#reports.decided(decision, { operation: 'check', durationMs: performance.now() - startedAt })
    return decision
  }

  #decideAny(
    subject: Subject,
    options: Options | undefined,
    operation: Operation,
    maxWaitUs: number,
  ): Decision | Promise<Decision> {
    const watched = this.#watched
    if (watched !== undefined && isPlain(subject, options, operation))
      return this.#decideWatched(watched, subject)
    const checks = this.#questions.ask(subject, options)
    if ('deniedBy' in checks) return this.#refuse(checks.deniedBy, { ...denied, key: checks.key }, operation)
    const accepts = options === undefined ? maxWaitUs : acceptsOf(options, maxWaitUs)
    if (this.lists === undefined) return this.#decideAll(checks, operation, accepts)
    const screened = this.lists.screen(checks)
    return 'listed' in screened
      ? this.refuseListed(screened.check.lane.name, { ...screened, key: screened.check.asked, operation })
      : this.#decideAll(screened, operation, accepts)
  }

  #decideAll(
    checks: readonly LaneCheck[],
    operation: Operation,
    accepts: Accepts,
  ): Decision | Promise<Decision> {
    if (checks.length === 0) return unlimited(this)
    const { asked } = this
    const question = this.#questionOf(checks, operation, accepts)
    const underWay = this.begin(question, operation)
    // Observers must hear of a decision in the async context of its caller, to which a tracing span belongs: a promise keeps that context.
    if (asked.answerTo && !this.#reports.watched) {
      const rows = asked.answerTo(question, underWay)
      return rows === undefined ? underWay.promise() : this.finish(rows, underWay)
    }
    const answer = askStore(asked, question)
    return isLater(answer) ? this.#finishLater(answer, underWay) : this.finish(answer, underWay)
  }

  /** A function of its own: V8 allocates the context of a closure on entry, even on paths that create no closure. */
  #finishLater(answer: Promise<StoreRows>, about: Begun): Promise<Decision> {
    return answer.then((rows) => this.finish(rows, about))
  }

  /** A reservation takes all or nothing, as no caller can wait for a part of a request. */
  #questionOf(checks: readonly LaneCheck[], operation: Operation, accepts: Accepts): LaneQuestion {
    if (typeof accepts !== 'number') return upToQuestion(checks, { operation, store: this.store })
    const reserves = operation === 'reserve'
    const charge = reserves ? 'all-or-nothing' : this.#questions.charge
    const maxWaitUs = reserves ? acceptedWaitUs(checks, accepts) : 0
    return new QuestionShape(checks, charge, maxWaitUs, operation !== 'peek')
  }

  begin(question: LaneQuestion, operation: Operation): UnderWay {
    return new UnderWay(this, question, operation, this.#reports.watched ? performance.now() : 0)
  }

  /** Turns rows into a decision and reports it. Called once for each question, with the rows that its caller gets. */
  finish(rows: StoreRows, { question, operation, startedAt }: Begun): Decision {
    const checks = question.upTo === undefined ? question.checks : asCharged(question.checks, rows)
    this.#keepLeases(checks, rows)
    const decision = decisionOf(this, checks, rows)
    if (this.#reports.watched) {
      const durationMs = rows.asked === false ? 0 : performance.now() - startedAt
      this.#reports.decided(decision, { operation, durationMs, kind: checks[0]?.kind })
    }
    return decision
  }

  /** Begins to renew the leases that were taken, until they are freed. */
  #keepLeases(checks: readonly LaneCheck[], rows: StoreRows): void {
    for (let i = 0; i < checks.length; i++) {
      const check = checks[i]
      const row = rows[i]
      if (check === undefined || row === undefined || !holdsLease(check, row)) continue
      this.places = placesOf(check)
      this.places?.keep(check, row, this)
    }
  }

  peek(subject: Subject, options?: Options): Promise<Decision> {
    return this.#promised(subject, options, 'peek')
  }

  /** No async function: if the store answers later, the caller gets the promise of `decide` itself. Each decision has `taken`. */
  #promised(subject: Subject, options: Options | undefined, operation: Operation): Promise<Taking>
  #promised(subject: Subject, options: Options | undefined, operation: Operation): Promise<Decision> {
    try {
      const decision = this.decide(subject, options, operation)
      // After the look at `allowed` V8 knows the decision's class, and `resolve` searches it for no `then`: an eighth of a check in memory.
      return 'allowed' in decision ? Promise.resolve(decision) : decision
    } catch (error) {
      return Promise.reject(error)
    }
  }

  correct(changes: readonly LaneChange[]): Promise<void> {
    for (const { check, byUnits } of changes) {
      if (byUnits !== 0)
        this.#reports.tell('adjusted', {
          limiter: this.name,
          policy: check.lane.name,
          units: byUnits / scaleOf(check),
        })
    }
    return this.adjust(changes)
  }

  free(leases: readonly PolicyVerdict[]): Promise<void> | undefined {
    return this.places?.free(leases, this)
  }

  /** Never rejects. */
  async adjust(changes: readonly LaneChange[]): Promise<void> {
    try {
      if (changes.length === 0) return
      await this.asked.adjust(changes)
    } catch {
      // The store has counted and reported its failure; what it took stays taken until it expires.
    }
  }

  keep(leases: readonly PolicyVerdict[]): void {
    for (const { check, row } of leases) this.places?.keep(check, row, this)
  }

  lapse(leases: readonly PolicyVerdict[]): void {
    this.places?.lapse(leases, this.store)
  }

  lost({ lane, asked }: LaneCheck): void {
    this.#reports.tell('lost', { limiter: this.name, policy: lane.name, key: asked })
  }

  async block(subject: Subject, time: Duration, about?: ActReason): Promise<void> {
    const us = durationUs(time, 'time')
    hints.warnIfShort?.(this, { 'the time of a block': time })
    await this.#manage(subject, about, { op: 'block', us })
  }

  unblock(subject: Subject, about?: ActReason): Promise<void> {
    return this.#manage(subject, about, { op: 'unblock' })
  }

  reset(subject: Subject, about?: ActReason): Promise<void> {
    return this.#manage(subject, about, { op: 'reset' })
  }

  async #manage(
    subject: Subject,
    about: ActReason | undefined,
    command: { readonly op: 'block'; readonly us: number } | { readonly op: 'unblock' | 'reset' },
  ): Promise<void> {
    const reason = readReason(about)
    const checks = this.#questions.managed?.(subject) ?? this.checksOf(subject)
    await Promise.all(checks.map((check) => this.asked.manage({ ...command, check })))
    this.acted(checks, {
      act: command.op,
      ...('us' in command && { forMs: msUp(command.us) }),
      ...reason,
    })
  }

  /** Reports an act to observers, once for each key. */
  protected acted(
    checks: readonly LaneCheck[],
    act: Omit<Act, 'key' | 'policies' | 'limiter' | 'atMs'>,
  ): void {
    for (const { key, policies } of actsOn(checks))
      this.#reports.acted({
        ...act,
        limiter: this.name,
        policies,
        key,
        atMs: Math.floor(realClock.nowUs() / 1000),
      })
  }

  relay(act: Act, heard: Set<Observer>): void {
    this.#reports.acted(act, heard)
  }

  async inspect(subject: Subject): Promise<{ readonly [name: string]: Inspection }> {
    return inspectAll(this.asked, this.checksOf(subject), this.lists)
  }

  /** The checks of a question that are counted; none of one that is denied. */
  checksOf(subject: Subject, options?: Options): readonly LaneCheck[] {
    if (options?.take !== undefined) throw takesInCheckOnly(options.take)
    const checks = this.#questions.ask(subject, options)
    return 'deniedBy' in checks ? [] : checks
  }

  ready(): Promise<void> {
    return this.life.ready()
  }

  health(): LimiterHealth {
    return this.life.health(this.asked, this.sleepers?.count ?? 0)
  }

  async close(): Promise<void> {
    this.closedBy ??= codedError('the limiter was closed meanwhile', { code: 'SLUICE_CLOSED' })
    this.sleepers?.close(this.closedBy)
    const settled = this.places?.settled(this.store)
    // If no caller has stood in line, there is nothing to await, and the name is free at once.
    if (settled !== undefined) await settled
    this.life.end(this)
    await this.places?.lapseAllOf(this)
    if (this.#ownsAsked) await this.asked.close()
  }

  /** Refused without a count, by an entry of a list. */
  refuseListed(policy: string, { key, listed, operation }: ListRefusal): Refused {
    return this.#refuse(policy, { ...refusalBy(listed), key }, operation)
  }

  /** Refuses without a count, and reports that to observers like any other decision. */
  #refuse(policy: string, refusal: UncountedRefusal & { readonly key: Key }, operation: Operation): Refused {
    const decision = refusedUncounted(this.name, policy, refusal)
    this.#reports.decided(decision, { operation, durationMs: 0 })
    return decision
  }

  warned(warning: Warning): void {
    this.#reports.warned(warning)
  }
}

/** Whether this is a check of one key, a text, for one unit and without options. */
function isPlain(subject: unknown, options: unknown, operation: Operation): subject is string {
  return options === undefined && operation === 'check' && typeof subject === 'string' && subject !== ''
}

/** Longest wait that all of these policies may promise: no more than any of their debts. */
function acceptedWaitUs(checks: readonly LaneCheck[], maxWaitUs: number): number {
  let acceptedUs = maxWaitUs
  for (const { lane, policy } of checks) {
    const { definition, numbers } = partsOf(policy)
    if (!definition.can.includes('reserve'))
      throw optionError(
        `policies.${lane.name}`,
        'a policy that can reserve, which every wait needs',
        policy.strategy,
      )
    acceptedUs = Math.min(acceptedUs, definition.debtUs?.(numbers) ?? 0)
  }
  return acceptedUs
}
