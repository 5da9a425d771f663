import type { Act } from '../act.ts'
import { givingBack } from '../all-or-nothing.ts'
import { askStoreFor, promisedAnswer } from '../answers.ts'
import type { Clock } from '../clock.ts'
import { storeError } from '../errors.ts'
import { copyOf } from '../line.ts'
import { Listeners } from '../listeners.ts'
import type { Policy } from '../policy.ts'
import { requestsApart } from '../runtime.ts'
import type {
  Asker,
  Change,
  Check,
  Command,
  Health,
  HeldLease,
  InLine,
  LinePlace,
  Preparing,
  Question,
  Renewal,
  Store,
  StoreEvent,
  StoreListener,
  StoreRows,
} from '../store.ts'
import { answeredAs } from '../up-to.ts'
import { Deadlines, Waiting } from '../waiting/deadlines.ts'
import { OwnDeadlines } from '../waiting/own-deadlines.ts'
import { heardInLine, type Objected, objectedAfter, objectedTo } from './after-outage.ts'
import { Breaker } from './breaker.ts'
import { decideWithout, knownToBoth, lineWithout, splitChanges } from './degraded.ts'
import { type ConnectingStore, FirstConnection } from './first-connection.ts'
import type { Guarding } from './guard-options.ts'
import { Mirror } from './mirror.ts'
import { foreignKey, StoreFailures } from './store-failures.ts'

/** What a log says of a store, by kind of event. */
const said: { readonly [kind in StoreEvent['kind']]: string } = {
  failed: 'failed',
  opened: 'is no longer asked (onStoreFailure decides), as it failed again',
  'half-open': 'is tried again',
  late: 'answered after the deadline; what it took is given back',
  recovered: 'answers again',
}

/** The receiver of one answer of the guard. */
export interface GuardedAsker extends Asker {
  /** Accepts only the store's own answer: in place of any other, `failed` is called, perhaps before the call that asked has returned. */
  readonly own?: true
  /** The wait that all questions of one request share. @default a wait of its own */
  readonly request?: Waiting | undefined
}

/** A question that was sent to the store and whose asker waits for an answer. */
class PutQuestion extends Waiting implements Asker {
  declare readonly question: Question
  /** The part of the question that the store is asked. */
  declare readonly asked: Question
  /** This process's objections, by what it counted in an outage. */
  declare readonly objected: Objected | undefined
  declare readonly asker: GuardedAsker
  declare readonly askedAt: number
  /** The mirror's `moment` when the question was sent. */
  declare readonly moment: number
  declare readonly to: GuardedStore

  constructor(
    expiresAt: number,
    pausedBeforeMs: number | undefined,
    about: Pick<PutQuestion, 'question' | 'asked' | 'objected' | 'asker' | 'askedAt' | 'moment' | 'to'>,
  ) {
    super(expiresAt, pausedBeforeMs)
    this.askedAt = about.askedAt
    this.moment = about.moment
    this.to = about.to
    this.question = about.question
    this.asked = about.asked
    this.objected = about.objected
    this.asker = about.asker
  }

  answered(rows: StoreRows): void {
    this.to.heard(this, rows)
  }

  failed(error: unknown): void {
    this.to.failed(this, error)
  }

  override expired(error: Error): void {
    this.to.unheard(this, error)
  }
}

/** A store around a store: bounds its waits, and answers without it while it fails. */
export class GuardedStore implements Store {
  readonly name: string
  readonly prefix: string | undefined
  readonly clock: Clock | undefined
  readonly apart: boolean
  readonly #inner: ConnectingStore
  readonly #longestReadyMs: number
  /** undefined once the store has answered, or was waited for long enough. */
  #first: FirstConnection | undefined
  readonly #mirror: Mirror
  readonly #deadlines: Pick<Deadlines, 'expiresAt' | 'add' | 'leave' | 'bound' | 'stop'>
  readonly #breaker: Breaker
  readonly #listeners = new Listeners()
  readonly #failures = new StoreFailures()
  #fallbackDecisions = 0
  #lateReplies = 0
  #closed = false

  constructor(
    inner: ConnectingStore,
    { deadlineUs, connectDeadlineUs, ...guarding }: Guarding,
    clock: Clock,
  ) {
    this.name = inner.name
    this.prefix = inner.prefix
    this.clock = inner.clock
    this.#inner = inner
    this.#mirror = new Mirror({ ...guarding, clock })
    const [ms, firstMs] = [deadlineUs / 1000, connectDeadlineUs / 1000]
    const { apart = requestsApart } = inner
    this.apart = apart
    this.#deadlines = apart ? new OwnDeadlines(inner.name, { ms, firstMs }) : new Deadlines(inner.name, ms)
    this.#breaker = new Breaker(apart ? undefined : this.#probe, (event) => this.#report(event))
    const listener: StoreListener = {
      event: (event) => this.#report(event),
      warned: (warning) => this.#listeners.warned(warning),
      // A lost connection is an outage even if no request was made during it.
      lost: () => this.#mirror.noticeOutage(),
    }
    inner.watch?.(listener)
    this.#mirror.watch(listener)
    this.#longestReadyMs = Math.max(deadlineUs, connectDeadlineUs) / 1000
    // After the wait for a connection a caller still has its full deadline.
    const longestMs = apart ? 0 : firstMs - ms
    if (longestMs <= 0 || (inner.begin ?? inner.ready) === undefined) return
    const first = new FirstConnection(inner, longestMs, (failed) => {
      this.#first = undefined
      if (failed !== undefined) this.#failed(first.error, failed)
    })
    this.#first = first
  }

  readonly #probe = async (): Promise<void> => {
    const inner = this.#inner
    try {
      await this.#deadlines.bound(inner.probe === undefined ? inner.ready?.() : inner.probe())
      // The store's own probe has written, which `ready` does not.
      if (inner.probe !== undefined) this.#failures.writesFail = false
    } catch (error) {
      this.#failures.probeFailed(error)
      this.#mirror.noticeOutage()
      throw error
    }
  }

  answer(question: Question): StoreRows | Promise<StoreRows> {
    return promisedAnswer((asker) => this.answerTo(question, asker))
  }

  answerTo(question: Question, asker: GuardedAsker): StoreRows | undefined {
    return this.#spares ? this.#otherwise(question, asker) : this.#put(question, asker)
  }

  /** Begins one request's wait. While the store has never answered, the full deadline begins with its first answer. */
  begin(): Waiting {
    const waiting = new Waiting(this.#deadlines.expiresAt())
    this.#first?.afterwards(() => waiting.begin(this.#deadlines.expiresAt()))
    return waiting
  }

  get #spares(): boolean {
    return this.#closed || this.#breaker.spares()
  }

  /** Asks the store. `asker` gets a later answer, within the deadline or within what is left of its request's deadline. */
  #put(question: Question, asker: GuardedAsker): StoreRows | undefined {
    if (this.#first?.waits(true)) {
      void this.#putFirst(this.#first, question, asker)
      return undefined
    }
    const objected = this.#mirror.objects ? objectedTo(question, this.#mirror) : undefined
    const asked = objected === undefined ? question : objected.question
    // What is known needs no deadline.
    const known = this.#inner.known?.(asked)
    if (known !== undefined) {
      const { objects, moment } = this.#mirror
      return objects ? this.#heard({ asked, objected, moment }, known) : known
    }
    const askedAt = performance.now()
    const { request } = asker
    const expiresAt = request?.expiresAt ?? this.#deadlines.expiresAt(askedAt)
    const about = { to: this, question, asked, objected, asker, askedAt, moment: this.#mirror.moment }
    const put = new PutQuestion(expiresAt, request?.pausedBeforeMs, about)
    let answer: StoreRows | undefined
    try {
      answer = askStoreFor(this.#inner, asked, put)
    } catch (error) {
      put.done = true
      this.#failed(error, askedAt)
      return this.#otherwise(question, asker)
    }
    if (answer === undefined) {
      this.#deadlines.add(put)
      return undefined
    }
    return this.#heard(put, answer)
  }

  async #putFirst(first: FirstConnection, question: Question, asker: GuardedAsker): Promise<void> {
    const isThere = await first.over()
    const isAsked = isThere && !this.#spares
    // After the wait for a first answer its request has the full deadline.
    const rows = isAsked ? this.#put(question, asker) : this.#otherwise(question, asker)
    if (rows !== undefined) asker.answered(rows)
  }

  /** Answers without the store: returns the fallback's rows, or calls `failed` if the asker accepts only the store's own. */
  #otherwise(question: Question, asker: GuardedAsker): StoreRows | undefined {
    if (asker.own !== true) return this.answerWithout(question)
    // The store may have lost what it had when it is back.
    this.#alone(question.checks)
    asker.failed(this.#silent())
    return undefined
  }

  heard(put: PutQuestion, answer: StoreRows): void {
    if (put.done) {
      this.#late(put, answer)
      return
    }
    this.#deadlines.leave(put)
    let rows: StoreRows
    try {
      if (this.#failures.lasting) this.#failures.answered(put.asked, answer)
      // A question that only looks proves only that the store reads. Once a write has failed, a refusal proves no more than that.
      if (!this.#failures.writesFail && (put.asked.take || this.apart)) this.#breaker.succeeded()
      rows = this.#heard(put, answer)
    } catch (error) {
      this.unheard(put, error)
      return
    }
    put.asker.answered(rows)
  }

  /** The store has not answered a question, or not in time. */
  unheard(put: PutQuestion, error: unknown): void {
    this.#failed(error, put.askedAt, put.asked.take ? put.asked.checks : [])
    const rows = this.#otherwise(put.question, put.asker)
    if (rows !== undefined) put.asker.answered(rows)
  }

  failed(put: PutQuestion, error: unknown): void {
    if (put.done) return
    this.#deadlines.leave(put)
    this.unheard(put, error)
  }

  /** The rows that the asker gets. After an outage this process may have admitted others while the question was under way. */
  #heard(
    { asked, moment, objected }: Pick<PutQuestion, 'asked' | 'moment' | 'objected'>,
    answer: StoreRows,
  ): StoreRows {
    const question = asked.upTo === undefined ? asked : answeredAs(asked, answer)
    let rows = answer
    try {
      const late = this.#mirror.objects ? objectedAfter(question, answer, this.#mirror) : undefined
      this.#mirror.heard(question, late?.rows ?? answer, moment)
      if (late !== undefined) {
        rows = late.rows
        if (late.changes.length > 0) this.#ignore(this.#handOver(late.changes))
      }
    } catch {
      // A user's strategy may throw in memory; the store's answer is valid all the same.
    }
    return objected === undefined ? rows : objected.merge(rows)
  }

  async #handOver(changes: readonly Change[]): Promise<void> {
    const handedOver = this.#mirror.handingOver(changes)
    await this.#inner.adjust(changes)
    handedOver()
  }

  /** Decides as `onStoreFailure` says, without asking the store. */
  answerWithout(question: Question): StoreRows {
    this.#fallbackDecisions++
    this.#alone(question.checks)
    return decideWithout(this.#mirror, question)
  }

  /** Notes that the store does not know what this process counts now: of these keys alone or, in an outage, of any key. */
  #alone(checks: readonly Check[]): void {
    const local = checks.filter(({ onStoreFailure }) => onStoreFailure === 'local')
    if (this.#failures.keysAlone && !this.#breaker.open && !this.#closed) this.#mirror.noticeKeys(local)
    else if (local.length > 0) this.#mirror.noticeOutage()
  }

  /** Gives back, once, what a late reply took: the fallback has answered its request already. Whom it refuses is refused from now on. */
  #late({ asked, moment }: PutQuestion, answer: StoreRows): void {
    this.#lateReplies++
    this.#report({ kind: 'late', sinceMs: this.#breaker.sinceMs })
    this.#mirror.heard(answeredAs(asked, answer), answer, moment, true)
    const changes = givingBack(asked.checks, answer)
    if (changes.length > 0) this.#ignore(this.#handOver(changes))
  }

  async adjust(changes: readonly Change[]): Promise<void> {
    const { local, remote } = splitChanges(changes)
    if (local.length > 0) this.#mirror.adjustOwn(local)
    for (const change of remote) this.#mirror.correct(change)
    if (remote.length === 0) return
    // Sent without a pause where possible, so that a question asked right after it finds the room that is given back.
    if (this.#first?.waits(true)) await this.#begun()
    if (!this.#breaker.open) await this.#bounded(this.#inner.adjust(remote))
  }

  /** Renews in the fallback too. While the store cannot answer, no lease counts as lost. */
  async renew(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    const known = knownToBoth(held)
    const here = this.#mirror.renew(known)
    if (this.#closed || this.#inner.renew === undefined) return here
    let outcomes: readonly Renewal[] | undefined
    try {
      await this.#begun()
      if (this.#breaker.open) throw this.#silent()
      outcomes = await this.#bounded(this.#inner.renew(known))
      return outcomes
    } finally {
      this.#mirror.heardRenewals(known, outcomes)
    }
  }

  /** While the store cannot answer, callers stand in line in this process. */
  async line(callers: readonly InLine[]): Promise<readonly LinePlace[]> {
    // Callers whose leaving, if they leave, the store has not heard of.
    let unheard: readonly InLine[] = []
    try {
      await this.#begun()
      if (this.#closed) throw this.#silent()
      unheard = callers
      if (this.#breaker.open) throw this.#silent()
      unheard = callers.filter(({ leaves }) => !leaves)
      const answer = await this.#bounded(this.#inner.line?.(callers) ?? [])
      const { places, back } = heardInLine(callers, answer, this.#mirror)
      if (back.length > 0) this.#ignore(this.#inner.adjust(back))
      return places
    } catch {
      this.#fallbackDecisions++
      this.#alone(callers.map(({ check }) => check))
      void this.#leaveLine(unheard)
      return lineWithout(this.#mirror, callers)
    }
  }

  /**
   * Tells the store which callers have left its line. A store that hung may otherwise give places to callers that have left, or that do
   * not stand in line here. This call arrives behind their own requests.
   */
  async #leaveLine(callers: readonly InLine[]): Promise<void> {
    const leaving = callers
      .filter(({ check, leaves }) => leaves || check.onStoreFailure !== 'local')
      .map((caller) => copyOf(caller, { leaves: true }))
    try {
      if (leaving.length > 0) await this.#inner.line?.(leaving)
    } catch {
      // The store fails and does not hang, so it has given them no places.
    }
  }

  async manage(command: Command): Promise<unknown> {
    try {
      if (command.op !== 'inspect') this.#mirror.manage(command)
      await this.#begun()
      if (this.#breaker.open) throw this.#failures.latest
      return await this.#bounded(this.#inner.manage(command))
    } catch (error) {
      throw storeError(this.name, `${command.op}: the store ${this.name} does not answer`, error)
    }
  }

  changed(checks: readonly Check[], act: Act): void {
    for (const check of checks) this.#mirror.changed(check, act)
    this.#inner.changed?.(checks, act)
  }

  /** Waits for the store's first answer. Rejects if that failed or did not come within the connect deadline. */
  async #begun(): Promise<void> {
    const first = this.#first
    if (first?.waits(true) && !(await first.over())) throw first.error
  }

  #silent(): Error {
    return storeError(this.name, `the store ${this.name} does not answer`)
  }

  get can(): Store['can'] {
    return this.#inner.can
  }

  accept(policy: Policy, path: string): void {
    this.#inner.accept?.(policy, path)
  }

  prepare(policies: readonly Policy[], about: Preparing): void {
    this.#inner.prepare?.(policies, about)
  }

  watch(listener: StoreListener): () => void {
    return this.#listeners.add(listener)
  }

  /** Rejects when the first attempt has failed; the store keeps trying. */
  async ready(): Promise<void> {
    if (this.#first?.waits(true)) return this.#begun()
    const askedAt = performance.now()
    const patience = new Deadlines(this.name, this.#longestReadyMs)
    try {
      await patience.bound(this.#inner.ready?.())
    } catch (error) {
      this.#failed(error, askedAt)
      throw error
    } finally {
      patience.stop()
    }
  }

  health(): Health {
    const { open, failing, sinceMs, state } = this.#breaker
    const { count, forbids } = this.#failures
    return {
      status: open || this.#closed ? 'down' : failing || forbids ? 'degraded' : 'ok',
      store: this.name,
      breaker: state,
      sinceMs,
      failures: count,
      fallbackDecisions: this.#fallbackDecisions,
      lateReplies: this.#lateReplies,
      keys: this.#mirror.keys,
      warnings: [...this.#listeners.codes],
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#breaker.stop()
    this.#first?.stop()
    this.#deadlines.stop()
    await this.#inner.close()
  }

  /** Bounds an answer of the store by the deadline. The breaker counts its failure. */
  async #bounded<T>(answer: T | Promise<T>): Promise<T> {
    const askedAt = performance.now()
    try {
      return await this.#deadlines.bound(answer)
    } catch (error) {
      this.#failed(error, askedAt)
      throw error
    }
  }

  #failed(error: unknown, askedAt: number, checks: readonly Check[] = []): void {
    const warning = this.#failures.callFailed(error, checks, this.#inner.keysWait === true)
    if (warning !== undefined) this.#listeners.warned(warning)
    if (warning === foreignKey) return
    this.#breaker.failed(error instanceof Error ? error : storeError(this.name, String(error)), askedAt)
    // Calls of others may have kept the key busy: a probe shows that the store is well before such rounds open the circuit.
    if (this.#failures.keysAlone) this.#breaker.lookNow()
  }

  #ignore(promise: void | Promise<void>): void {
    const askedAt = performance.now()
    Promise.resolve(promise).catch((error: unknown) => this.#failed(error, askedAt))
  }

  #report(event: Omit<StoreEvent, 'store'>): void {
    this.#listeners.event({ ...event, store: this.name }, said[event.kind])
  }
}
