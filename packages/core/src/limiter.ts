import { decisionOf, denied, type NamedChange, type NamedCheck, type Origin, unlimited } from './decided.ts'
import type { Decision, PerPolicy, Refused, Verdict } from './decision.ts'
import { optionError, storeError } from './errors.ts'
import type { Key } from './key.ts'
import { checkOf, type Lane, lanesOf } from './lane.ts'
import {
  type Asked,
  type LimiterSettings,
  readPolicy,
  type Settled,
  settle,
  unknownPolicy,
} from './limiter-settings.ts'
import { memoryStore } from './memory/store.ts'
import { type Operation, Reports } from './observer.ts'
import { checkNames } from './options.ts'
import { costOf } from './per-policy.ts'
import type { Ability, Policies, Policy } from './policy.ts'
import { claimName } from './registry.ts'
import type { Command, Health, Question, Rows, Sight, Store } from './store.ts'
import { partsOf } from './strategies/definition.ts'
import { type Duration, durationUs, msUp } from './units.ts'

/** The keys of one question: one for all policies, or one for each; null = that policy does not apply this time. */
export type Subject<N extends string> = Key | { readonly [K in N]: Key | null }

export interface CheckOptions<N extends string, P extends Policies = Policies> {
  /** @default 1 each; 0 looks without taking */
  cost?: PerPolicy<N, number> | undefined
  /** Other numbers for this call (plan, tenant), same name, same count. Where there is one policy. */
  policy?: Policy | undefined
  /** The same by name. */
  policies?: { readonly [K in keyof P]?: Policy | undefined } | undefined
  /** Kept by attributedWindow. */
  note?: string | undefined
}

/** Whatever can be asked: a limiter, a tree of limits. S is the question. */
export interface Decider<S, N extends string = string> {
  readonly name: string
  readonly check: (subject: S, options?: Pick<CheckOptions<N>, 'cost' | 'note'>) => Promise<Decision<N>>
}

/** An operation that a strategy of this limiter cannot do: not callable. */
export interface Unsupported<A extends string> {
  readonly 'a strategy of this limiter cannot': A
}
type Can<P extends Policies, A extends Ability, F> = [P[keyof P]] extends [Policy<A>] ? F : Unsupported<A>

/** What a policy shows of one key: its verdict for a look, the block, and who used it where the strategy remembers. */
export type Inspection = Verdict & {
  readonly blockedMs: number | null
  readonly entries: readonly { readonly note: string; readonly agoMs: number }[]
}

/** More units, or the time that the next call waits at least (raised, never added). */
export type Penalty<N extends string> = PerPolicy<N, number> | { readonly wait: Duration }

export interface Limiter<P extends Policies = Policies, N extends string = keyof P & string>
  extends Decider<Subject<N>, N> {
  readonly policies: P
  /** Takes, or refuses. Rejects only for a wrong argument (TypeError). */
  readonly check: (subject: Subject<N>, options?: CheckOptions<N, P>) => Promise<Decision<N>>
  /** Looks, takes nothing. */
  peek(subject: Subject<N>, options?: CheckOptions<N, P>): Promise<Decision<N>>
  /** Takes more, whatever the limit says: after a wrong password, say. */
  penalize: Can<P, 'penalize', (subject: Subject<N>, penalty: Penalty<N>) => Promise<void>>
  /** Refuses a key for a time, a year at most; its count is kept. Rejects with a StoreError when the store cannot answer. */
  block(subject: Subject<N>, time: Duration): Promise<void>
  unblock(subject: Subject<N>): Promise<void>
  /** Forgets a key's count and any block. */
  reset(subject: Subject<N>): Promise<void>
  inspect(subject: Subject<N>): Promise<{ readonly [K in N]?: Inspection }>
  /** Resolves when the store has answered once, or when its first attempt has failed (`health` says which). */
  ready(): Promise<void>
  health(): Health
  /** Closes what the limiter made itself; a store that was passed in stays open. */
  close(): Promise<void>
}

interface AnyOptions {
  cost?: PerPolicy<string, number> | undefined
  policy?: Policy | undefined
  policies?: { readonly [name: string]: Policy | undefined } | undefined
  note?: string | undefined
}
type AnySubject = Subject<string>

/** The limiter at run time, whatever its policies' names. */
export class PolicyLimiter implements Origin {
  readonly name: string
  readonly policies: Policies
  readonly store: Store
  readonly storeName: string
  readonly firstPolicy: string
  readonly lanes: readonly Lane[]
  readonly #settings: Settled
  readonly #reports: Reports
  readonly #ownsStore: boolean
  readonly #releaseName: () => void
  readonly #stopWatching: () => void

  /** `inherited`: another limiter's lanes, decided in one question with its own. */
  constructor(settings: Settled, inherited: readonly Lane[] = []) {
    this.#settings = settings
    this.name = settings.name
    this.store = settings.store ?? memoryStore()
    this.storeName = this.store.name
    this.#ownsStore = settings.store === undefined
    this.lanes = [...inherited, ...lanesOf(settings)]
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
    const checks = this.#checks(subject, options)
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
    const checks = this.#checks(subject, undefined)
    if (typeof penalty === 'object' && 'wait' in penalty)
      return this.#raise(checks, durationUs(penalty.wait, 'wait'))
    const changes = checks.map((check) => ({
      check,
      receipt: null,
      byUnits: units(costOf(penalty, check.name, 0)),
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
        await this.store.manage({ op: 'block', check, us: waitUs, later: true })
      }
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
      this.#checks(subject, undefined).map((check) => this.store.manage({ ...command, check })),
    )
  }

  async inspect(subject: AnySubject): Promise<{ readonly [name: string]: Inspection }> {
    const checks = this.#checks(subject, { cost: 0 })
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

  #checks(subject: AnySubject, options: AnyOptions | undefined): readonly NamedCheck[] {
    if (options !== undefined) this.#checkOptions(options)
    const byName = typeof subject === 'object' && subject !== null && !Array.isArray(subject)
    const keys = byName ? this.#keysOf(subject) : undefined
    const checks: NamedCheck[] = []
    for (const lane of this.lanes) {
      const key = keys === undefined ? (subject as Key) : keys[lane.name] // not by name: one key for all
      if (key === null) continue
      if (key === undefined)
        throw new TypeError(`subject.${lane.name}: expected a key, or null where the policy does not apply`)
      const policy = options === undefined ? undefined : this.#policyFor(lane, options)
      checks.push(
        checkOf(lane, { key, cost: costOf(options?.cost, lane.name, 1), note: options?.note, policy }),
      )
    }
    return checks
  }

  #keysOf(subject: object): { readonly [name: string]: Key | null | undefined } {
    const names = this.#names
    for (const name of Object.keys(subject))
      if (!names.includes(name)) throw unknownPolicy('subject', name, names)
    return subject as { readonly [name: string]: Key | null | undefined } // encodeKey checks each value
  }

  #checkOptions(options: AnyOptions): void {
    checkNames(options, 'options', ['cost', 'policy', 'policies', 'note'])
    const names = this.#names
    for (const [path, value] of [['cost', options.cost] as const, ['policies', options.policies] as const]) {
      if (typeof value !== 'object' || value === null) continue
      for (const name of Object.keys(value)) if (!names.includes(name)) throw unknownPolicy(path, name, names)
    }
  }

  get #names(): readonly string[] {
    return this.lanes.map(({ name }) => name)
  }

  #policyFor({ name, policy: own }: Lane, { policy, policies }: AnyOptions): Policy | undefined {
    const given = policies?.[name] ?? (this.lanes.length === 1 ? policy : undefined)
    if (given === undefined) {
      if (policy !== undefined)
        throw optionError('policy', 'policies by name, as this limiter has several', policy)
      return undefined
    }
    if (given !== own) this.store.accept?.(readPolicy(given, 'policy'), 'policy')
    return given
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

/**
 * A limiter: policies by name, asked about keys. `policy: p` is short for `policies: { default: p }`.
 *
 * @example
 * const tickets = createLimiter({
 *   name: 'tickets',
 *   policies: { visitor: uniform({ interval: '10s' }), attraction: slidingWindowLog({ limit: 100, window: '10s' }) },
 * })
 * const decision = await tickets.check({ visitor: 'bob', attraction: 'tigers' }, { cost: { attraction: 2 } })
 */
export function createLimiter<const P extends Policies>(
  options: { policies: P; policy?: undefined } & LimiterSettings<NoInfer<keyof P & string>>,
): Limiter<P>
export function createLimiter<const P extends Policy>(
  options: { policy: P; policies?: undefined } & LimiterSettings<'default'>,
): Limiter<{ readonly default: P }>
export function createLimiter(options: Asked): unknown {
  return new PolicyLimiter(settle(options))
}
