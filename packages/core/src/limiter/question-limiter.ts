import type { Decision, Inspection, Refused } from '../decision.ts'
import { storeError } from '../errors.ts'
import type { Key } from '../key.ts'
import { Reports } from '../observer.ts'
import type { Command, Health, LimiterHealth, Question, Rows, Store } from '../store.ts'
import { isInFlight } from '../strategies/in-flight.ts'
import { type Duration, durationUs } from '../units.ts'
import { Sleepers } from '../waiting/sleepers.ts'
import {
  type Answer,
  denied,
  holdsLease,
  type NamedChange,
  type NamedCheck,
  type Origin,
  unlimited,
} from './decided.ts'
import type { ReservedRows } from './delays.ts'
import { decisionOf } from './fold.ts'
import { inspectAll } from './inspecting.ts'
import { type LeaseOwner, leasesIn } from './leases.ts'
import { checking, type Manner, peeking, reserving } from './manner.ts'
import type { Denial, Questions } from './questions.ts'
import { claimName } from './registry.ts'
import { acceptedWaitUs } from './reserving.ts'
import type { CommonSettings } from './settings.ts'

/** A limiter at run time, whatever its questions are. */
export class QuestionLimiter<Subject, Options> implements Origin, LeaseOwner {
  readonly name: string
  readonly store: Store
  readonly storeName: string
  readonly firstPolicy: string
  /** Callers that are delayed: none where a question cannot be reserved. */
  protected readonly sleepers: Sleepers
  readonly #questions: Questions<Subject, Options>
  readonly #reports: Reports
  readonly #ownsStore: boolean
  readonly #releaseName: () => void
  readonly #stopWatching: () => void

  /** `value`: limiters of one name on one store have the same, or the second one is an OptionError. */
  constructor(
    settings: CommonSettings,
    about: { store: Store; value: string; questions: Questions<Subject, Options> },
  ) {
    // Its type reads as a free function, and so it may be used.
    this.check = this.check.bind(this)
    this.name = settings.name
    this.store = about.store
    this.storeName = this.store.name
    this.#ownsStore = settings.store === undefined
    this.#questions = about.questions
    this.firstPolicy = about.questions.firstPolicy
    this.sleepers = new Sleepers(settings.maxSleepers, about.store.clock)
    this.#releaseName = claimName(this.store, settings.name, about.value)
    this.#reports = new Reports(settings.observers, settings.logger)
    const reports = this.#reports
    this.#stopWatching =
      this.store.watch?.({
        event: (event) => reports.event(event),
        warned: (warning) => reports.warned(warning),
      }) ?? (() => {})
    reports.opened(this)
  }

  /** A decision at once where the store answers at once, else a promise of it. */
  decide(subject: Subject, options: Options | undefined, manner: Manner): Decision | Promise<Decision> {
    const checks = this.#questions.ask(subject, options)
    if ('deniedBy' in checks) return this.#deny(checks)
    if (checks.length === 0) return unlimited(this)
    const startedAt = this.#reports.watched ? performance.now() : 0
    const answer = this.store.decide([this.#questionOf(checks, manner)])
    return answer instanceof Promise
      ? this.#later(answer, checks, { manner, startedAt })
      : this.#finish(answer, checks, { manner, startedAt })
  }

  /** What a store answers to a reservation, or a decision where none was asked. Observers hear of it at once. */
  protected reserved(
    subject: Subject,
    options: Options | undefined,
    maxWaitUs: number,
  ): Decision | ReservedRows | Promise<Decision | ReservedRows> {
    const manner = reserving(maxWaitUs)
    const checks = this.#questions.ask(subject, options)
    if ('deniedBy' in checks) return this.#deny(checks)
    if (checks.length === 0) return unlimited(this)
    const startedAt = this.#reports.watched ? performance.now() : 0
    const answer = this.store.decide([this.#questionOf(checks, manner)])
    const read = (answers: readonly Rows[]): ReservedRows => {
      const [rows] = answers
      if (rows === undefined) throw storeError(this.store.name, 'the store answered no rows')
      const decision = this.#reports.watched
        ? this.#finish(answers, checks, { manner, startedAt })
        : undefined
      return { checks, rows, decision }
    }
    return answer instanceof Promise ? answer.then(read) : read(answer)
  }

  decisionFrom({ checks, rows, decision }: ReservedRows): Decision {
    return decision ?? decisionOf(this, checks, rows)
  }

  /** A reservation takes all or nothing, as no caller can wait for a part of a request. */
  #questionOf(checks: readonly NamedCheck[], { operation, maxWaitUs }: Manner): Question {
    if (operation !== 'reserve')
      return { checks, charge: this.#questions.charge, maxWaitUs: 0, take: operation === 'check' }
    return { checks, charge: 'all-or-nothing', maxWaitUs: acceptedWaitUs(checks, maxWaitUs), take: true }
  }

  async #later(
    answer: Promise<readonly Rows[]>,
    checks: readonly NamedCheck[],
    about: { manner: Manner; startedAt: number },
  ): Promise<Decision> {
    return this.#finish(await answer, checks, about)
  }

  #finish(
    [rows]: readonly Rows[],
    checks: readonly NamedCheck[],
    { manner, startedAt }: { manner: Manner; startedAt: number },
  ): Decision {
    if (rows === undefined) throw storeError(this.store.name, 'the store answered no rows')
    this.#keepHeld(checks, rows)
    const decision = decisionOf(this, checks, rows)
    if (this.#reports.watched) {
      const { operation } = manner
      this.#reports.decided(decision, { operation, durationMs: performance.now() - startedAt })
    }
    return decision
  }

  /** Whatever is under way is renewed until it is freed. */
  #keepHeld(checks: readonly NamedCheck[], rows: Rows): void {
    for (let i = 0; i < checks.length; i++) {
      const check = checks[i]
      const row = rows[i]
      if (check === undefined || row === undefined || !isInFlight(check)) continue
      if (holdsLease({ check, row })) leasesIn(this.store).keep({ check, row }, this)
    }
  }

  async check(subject: Subject, options?: Options): Promise<Decision> {
    return this.decide(subject, options, checking)
  }

  async peek(subject: Subject, options?: Options): Promise<Decision> {
    return this.decide(subject, options, peeking)
  }

  async correct(changes: readonly NamedChange[]): Promise<void> {
    for (const { check, byUnits } of changes) {
      if (byUnits !== 0) this.#reports.adjusted({ limiter: this.name, policy: check.name, units: byUnits })
    }
    await this.#adjust(changes)
  }

  async free(answers: readonly Answer[]): Promise<void> {
    this.lapse(answers)
    const changes = answers.map(({ check, row: { receipt } }) => ({ check, receipt, byUnits: -check.cost }))
    await this.#adjust(changes)
  }

  async #adjust(changes: readonly NamedChange[]): Promise<void> {
    try {
      if (changes.length > 0) await this.store.adjust(changes)
    } catch {
      // The store has counted and reported its failure; what it took stays taken until it expires.
    }
  }

  keep(answers: readonly Answer[]): void {
    const leases = leasesIn(this.store)
    for (const answer of answers) leases.keep(answer, this)
  }

  lapse(answers: readonly Answer[]): void {
    const leases = leasesIn(this.store)
    for (const { row } of answers) leases.drop(row)
  }

  lost({ check: { name: policy, asked: key } }: Answer): void {
    this.#reports.lost({ limiter: this.name, policy, key })
    this.warned(
      'SLUICE_LEASE_LOST',
      'a request went on for longer than its lease without a renewal, and another has its place: more than the limit are in flight',
    )
  }

  async block(subject: Subject, time: Duration): Promise<void> {
    await this.#manage(subject, { op: 'block', us: durationUs(time, 'time') })
  }

  async unblock(subject: Subject): Promise<void> {
    await this.#manage(subject, { op: 'unblock' })
  }

  async reset(subject: Subject): Promise<void> {
    await this.#manage(subject, { op: 'reset' })
  }

  async #manage(subject: Subject, command: Omit<Command, 'check'>): Promise<void> {
    await Promise.all(
      this.#questions.managed(subject).map((check) => this.store.manage({ ...command, check })),
    )
  }

  async inspect(subject: Subject): Promise<{ readonly [name: string]: Inspection }> {
    return inspectAll(this, this.checksOf(subject))
  }

  /** The checks of a question that are counted; none of one that is denied. */
  protected checksOf(subject: Subject, options?: Options): readonly NamedCheck[] {
    const checks = this.#questions.ask(subject, options)
    return 'deniedBy' in checks ? [] : checks
  }

  async ready(): Promise<void> {
    try {
      await this.store.ready?.()
    } catch {
      // health() says so.
    }
  }

  health(): LimiterHealth {
    const health = this.store.health?.() ?? noHealth(this.store.name)
    const warnings = [...new Set([...health.warnings, ...this.#reports.warnings])]
    return { ...health, sleepers: this.sleepers.count, warnings }
  }

  async close(): Promise<void> {
    this.#releaseName()
    this.#stopWatching()
    this.#reports.closed(this)
    leasesIn(this.store).dropAllOf(this)
    if (this.#ownsStore) await this.store.close()
  }

  /** Refused without a count: an address on a deny list. */
  deny(key: Key): Refused {
    return this.#deny({ deniedBy: this.firstPolicy, key })
  }

  /** Reported to observers like any other. */
  #deny({ deniedBy, key }: Denial): Refused {
    const decision = denied(this.name, deniedBy, key)
    this.#reports.decided(decision, { operation: 'check', durationMs: 0 })
    return decision
  }

  warned(code: string, message: string): void {
    this.#reports.warned({ code, message })
  }
}

function noHealth(store: string): Health {
  const counts = { sinceMs: 0, failures: 0, fallbackDecisions: 0, lateReplies: 0, keys: 0 }
  return { status: 'ok', store, ...counts, warnings: [] }
}
