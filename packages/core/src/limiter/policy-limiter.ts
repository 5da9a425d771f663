import type { Decision, Inspection, Penalty, Refused } from '../decision.ts'
import { optionError, storeError } from '../errors.ts'
import type { Key } from '../key.ts'
import { memoryStore } from '../memory/store.ts'
import { type Operation, Reports } from '../observer.ts'
import type { Ability, Policies, Policy } from '../policy.ts'
import type { Command, Health, Question, Rows, Sight, Store } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import { type Duration, durationUs, msUp } from '../units.ts'
import { denied, type NamedChange, type NamedCheck, type Origin, unlimited } from './decided.ts'
import { decisionOf } from './fold.ts'
import { type Lane, lanesOf } from './lane.ts'
import { forPolicy } from './per-policy.ts'
import { type AnyOptions, type AnySubject, Questions } from './questions.ts'
import { claimName } from './registry.ts'
import type { Settled } from './settings.ts'

/** The limiter at run time, whatever its policies' names. */
export class PolicyLimiter implements Origin {
  readonly name: string
  readonly policies: Policies
  readonly store: Store
  readonly storeName: string
  readonly firstPolicy: string
  readonly lanes: readonly Lane[]
  readonly #questions: Questions
  readonly #settings: Settled
  readonly #reports: Reports
  readonly #ownsStore: boolean
  readonly #releaseName: () => void
  readonly #stopWatching: () => void

  /** `inherited`: another limiter's lanes, decided in one question with its own. */
  constructor(settings: Settled, inherited: readonly Lane[] = []) {
    this.#settings = settings
    // Its type reads as a free function, and so it may be used.
    this.check = this.check.bind(this)
    this.name = settings.name
    this.store = settings.store ?? memoryStore()
    this.storeName = this.store.name
    this.#ownsStore = settings.store === undefined
    this.lanes = [...inherited, ...lanesOf(settings)]
    this.#questions = new Questions(this.lanes, (policy, path) => this.store.accept?.(policy, path))
    this.firstPolicy = this.lanes[0]?.name ?? ''
    this.policies = policiesOf(this.lanes)
    for (const [name, policy] of Object.entries(this.policies))
      this.store.accept?.(policy, `policies.${name}`)
    this.#releaseName = claimName(this.store, settings)
    this.#reports = new Reports(settings.observers, settings.logger)
    const reports = this.#reports
    this.#stopWatching =
      this.store.watch?.({
        event: (event) => reports.event(event),
        warned: (warning) => reports.warned(warning),
      }) ?? (() => {})
  }

  /** A decision at once where the store answers at once, else a promise of it. */
  decide(
    subject: AnySubject,
    options: AnyOptions | undefined,
    operation: Operation,
  ): Decision | Promise<Decision> {
    const checks = this.#questions.ask(subject, options)
    if (checks.length === 0) return unlimited(this)
    const { charge } = this.#settings
    const question: Question = { checks, charge, maxWaitUs: 0, take: operation !== 'peek' }
    const startedAt = this.#reports.watched ? performance.now() : 0
    const answer = this.store.decide([question])
    return answer instanceof Promise
      ? this.#later(answer, checks, { operation, startedAt })
      : this.#finish(answer, checks, { operation, startedAt })
  }

  async #later(
    answer: Promise<readonly Rows[]>,
    checks: readonly NamedCheck[],
    about: { operation: Operation; startedAt: number },
  ): Promise<Decision> {
    return this.#finish(await answer, checks, about)
  }

  #finish(
    [rows]: readonly Rows[],
    checks: readonly NamedCheck[],
    { operation, startedAt }: { operation: Operation; startedAt: number },
  ): Decision {
    if (rows === undefined) throw storeError(this.store.name, 'the store answered no rows')
    const decision = decisionOf(this, checks, rows)
    if (this.#reports.watched) {
      this.#reports.decided(decision, { operation, durationMs: performance.now() - startedAt })
    }
    return decision
  }

  async check(subject: AnySubject, options?: AnyOptions): Promise<Decision> {
    return this.decide(subject, options, 'check')
  }

  async peek(subject: AnySubject, options?: AnyOptions): Promise<Decision> {
    return this.decide(subject, options, 'peek')
  }

  async penalize(subject: AnySubject, penalty: Penalty<string>): Promise<void> {
    this.#mustBeAble('penalize')
    const checks = this.#questions.ask(subject, undefined)
    if (typeof penalty === 'object' && 'wait' in penalty)
      return this.#raise(checks, durationUs(penalty.wait, 'wait'))
    const changes = checks.map((check) => ({
      check,
      receipt: null,
      byUnits: units(forPolicy(penalty, check.name, 0)),
    }))
    await this.correct(changes.filter(({ byUnits }) => byUnits > 0))
  }

  /** By the strategy's own means where it can wait that long, else by a block to the later end. */
  async #raise(checks: readonly NamedCheck[], waitUs: number): Promise<void> {
    for (const check of checks) {
      const { definition, numbers } = partsOf(check.policy)
      if (waitUs <= (definition.raisableUs?.(numbers) ?? 0)) {
        await this.correct([{ check, receipt: null, byUnits: 0, atLeastUs: waitUs }])
      } else {
        await this.#pause(check, waitUs)
      }
    }
  }

  async #pause(check: NamedCheck, us: number): Promise<void> {
    try {
      await this.store.manage({ op: 'block', check, us, later: true })
    } catch {
      // The store has counted and told its failure, and this process's fallback refuses the key meanwhile.
    }
  }

  async correct(changes: readonly NamedChange[]): Promise<void> {
    for (const { check, byUnits } of changes) {
      if (byUnits !== 0) this.#reports.adjusted({ limiter: this.name, policy: check.name, units: byUnits })
    }
    try {
      if (changes.length > 0) await this.store.adjust(changes)
    } catch {
      // The store has counted and told its failure; what it took stays taken until it expires.
    }
  }

  async block(subject: AnySubject, time: Duration): Promise<void> {
    await this.#manage(subject, { op: 'block', us: durationUs(time, 'time') })
  }

  async unblock(subject: AnySubject): Promise<void> {
    await this.#manage(subject, { op: 'unblock' })
  }

  async reset(subject: AnySubject): Promise<void> {
    await this.#manage(subject, { op: 'reset' })
  }

  async #manage(subject: AnySubject, command: Omit<Command, 'check'>): Promise<void> {
    await Promise.all(
      this.#questions.ask(subject, undefined).map((check) => this.store.manage({ ...command, check })),
    )
  }

  async inspect(subject: AnySubject): Promise<{ readonly [name: string]: Inspection }> {
    const checks = this.#questions.ask(subject, { cost: 0 })
    const sights = await Promise.all(checks.map((check) => this.store.manage({ op: 'inspect', check })))
    const inspections: { [name: string]: Inspection } = {}
    for (const [i, check] of checks.entries()) {
      inspections[check.name] = this.#inspection(check, sights[i] as Sight) // what a store answers to inspect
    }
    return inspections
  }

  #inspection(check: NamedCheck, { row, blockedUs, entries }: Sight): Inspection {
    const seen = decisionOf(this, [{ ...check, shadow: false }], [row]).verdicts[check.name]
    if (seen === undefined) throw storeError(this.store.name, 'the store showed nothing')
    return {
      ...seen,
      blockedMs: blockedUs === null ? null : msUp(blockedUs),
      entries: entries.map(({ note, agoUs }) => ({ note, agoMs: Math.floor(agoUs / 1000) })),
    }
  }

  async ready(): Promise<void> {
    try {
      await this.store.ready?.()
    } catch {
      // health() says so.
    }
  }

  health(): Health {
    const health = this.store.health?.() ?? noHealth(this.store.name)
    return { ...health, warnings: [...new Set([...health.warnings, ...this.#reports.warnings])] }
  }

  async close(): Promise<void> {
    this.#releaseName()
    this.#stopWatching()
    if (this.#ownsStore) await this.store.close()
  }

  /** Refused without a count: an address on a deny list. */
  deny(key: Key): Refused {
    const decision = denied(this.name, this.firstPolicy, key)
    this.#reports.decided(decision, { operation: 'check', durationMs: 0 })
    return decision
  }

  warned(code: string, message: string): void {
    this.#reports.warned({ code, message })
  }

  #mustBeAble(ability: Ability): void {
    for (const { name, policy } of this.lanes) {
      if (policy === null || partsOf(policy).definition.can.includes(ability)) continue
      throw new TypeError(
        `limiter.${ability}: the strategy of policy "${name}", ${policy.strategy}, cannot ${ability}`,
      )
    }
  }
}

function policiesOf(lanes: readonly Lane[]): Policies {
  const policies: { [name: string]: Policy } = {}
  for (const { name, policy } of lanes) if (policy !== null) policies[name] = policy
  return Object.freeze(policies)
}

function units(cost: number): number {
  if (Number.isSafeInteger(cost) && cost >= 0) return cost
  throw optionError('penalty', 'a whole number of at least 0, or { wait: "10s" }', cost)
}

function noHealth(store: string): Health {
  const counts = { sinceMs: 0, failures: 0, fallbackDecisions: 0, lateReplies: 0, keys: 0 }
  return { status: 'ok', store, ...counts, warnings: [] }
}
