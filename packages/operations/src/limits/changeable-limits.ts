import type { ActReason, Policies, Policy } from '@sluice/core'
import { limiters, type observing, optionError, realClock } from '@sluice/core/internal'
import { Polling } from '../polling.ts'
import type { DescribedLimit } from '../wire.ts'
import type { ChangedLimit } from './change.ts'
import { Limit } from './limit.ts'
import type { ChangeAbout, LimitsServer } from './limits-server.ts'

/** Limits that can be changed while they run, in every process that has them. */
export interface ChangeableLimits<P extends Policies = Policies> {
  /** Use these in place of your own: for `createLimiter`, for a middleware, for one call. */
  readonly policies: P
  /**
   * Puts these options in place of the limit's own: in force here at once, and in every process within a second. Replaces any earlier
   * change. Rejects with an OptionError if they make no policy, and with a StoreError while Redis is away.
   *
   * @example await limits.set('free', { count: 50 }, { for: '2h', why: 'incident 12', by: 'alice' })
   */
  set(
    name: keyof P & string,
    options: { readonly [option: string]: unknown },
    about?: ChangeAbout,
  ): Promise<void>
  /** Puts the limit's own options in force again. Resolves to false if it was not changed. */
  restore(name: keyof P & string, about?: ActReason): Promise<boolean>
  /** The policy that is in force in this process. */
  now(name: keyof P & string): Policy
  /** All changed limits, as Redis has them. */
  changed(): Promise<readonly ChangedLimit[]>
}

/** The limits of a process, and the changes that it has read last. */
export class ProcessLimits {
  readonly #server: LimitsServer
  readonly #reports: observing.Reports
  /** Called when another policy may be in force. */
  readonly #turned: () => void
  readonly #limits = new Map<string, Limit>()
  readonly #polling: Polling
  #version = ''

  constructor(server: LimitsServer, reports: observing.Reports, turned: () => void) {
    this.#server = server
    this.#reports = reports
    this.#turned = turned
    this.#polling = new Polling(
      () => this.#read(),
      () => this.#endChanges(),
    )
  }

  /** A name may be given again with the same policy. */
  of<const P extends Policies>(policies: P): ChangeableLimits<P> {
    const given = limiters.readPolicies({ policies }, limiters.readPolicy)
    const limits = Object.entries(given).map(([name, policy]) => this.#limit(name, policy))
    for (const limit of limits) this.#limits.set(limit.name, limit)
    // Changes that were read before this limit was made have not been kept: all are read again.
    this.#version = ''
    this.#turned()
    return new LimitsOf(limits, this.#server, this.#polling) as unknown as ChangeableLimits<P> // the same names
  }

  #limit(name: string, policy: Policy): Limit {
    const known = this.#limits.get(name)
    if (known === undefined) return new Limit(name, policy)
    if (known.isOf(policy)) return known
    const expected = 'a name of its own, as another limit of this process has it'
    throw optionError(`policies.${name}`, expected, policy)
  }

  /** Never rejects: the numbers that were known last hold while Redis is away. */
  ready(): Promise<void> {
    return this.#polling.afresh()
  }

  describe(): readonly DescribedLimit[] {
    return [...this.#limits.values()].map((limit) => limit.describe())
  }

  close(): void {
    this.#polling.close()
  }

  async #read(): Promise<void> {
    try {
      const { version, changes } = await this.#server.read(this.#version)
      // If Redis has lost its data, the changes known here stay in force until a limit is changed again.
      if (changes !== undefined) {
        this.#hear(changes)
        this.#version = version
      }
    } catch {
      // Redis is asked again soon; the health of operations and of the store says that it is away.
    }
  }

  /** Does not wait for Redis, which may be away. */
  #endChanges(): void {
    const nowUs = realClock.nowUs()
    for (const limit of this.#limits.values()) if (limit.endsBy(nowUs)) this.#turned()
  }

  #hear(changes: readonly ChangedLimit[]): void {
    const nowUs = realClock.nowUs()
    const byName = new Map(changes.map((change) => [change.name, change]))
    for (const limit of this.#limits.values()) {
      if (limit.hear(byName.get(limit.name), nowUs)) this.#warnIfShort(limit)
    }
    this.#turned()
  }

  /** Who changes a limit by a program of another process has no policy there, of which it could be said. */
  #warnIfShort({ name, now }: Limit): void {
    limiters.warnOfShortTimes({
      lanes: [{ name, policy: now }],
      warned: (warning) => this.#reports.warned(warning),
    })
  }
}

class LimitsOf {
  readonly policies: Policies
  readonly #limits: ReadonlyMap<string, Limit>
  readonly #server: LimitsServer
  readonly #polling: Polling

  constructor(limits: readonly Limit[], server: LimitsServer, polling: Polling) {
    this.#limits = new Map(limits.map((limit) => [limit.name, limit]))
    this.policies = Object.freeze(Object.fromEntries(limits.map(({ name, policy }) => [name, policy])))
    this.#server = server
    this.#polling = polling
  }

  async set(
    name: string,
    options: { readonly [option: string]: unknown },
    about?: ChangeAbout,
  ): Promise<void> {
    this.#named(name).with(options)
    await this.#server.set(name, options, about)
    await this.#polling.afresh()
  }

  async restore(name: string, about?: ActReason): Promise<boolean> {
    this.#named(name)
    const restored = await this.#server.restore(name, about)
    await this.#polling.afresh()
    return restored
  }

  now(name: string): Policy {
    return this.#named(name).now
  }

  changed(): Promise<readonly ChangedLimit[]> {
    return this.#server.changed()
  }

  #named(name: string): Limit {
    const limit = this.#limits.get(name)
    if (limit !== undefined) return limit
    throw limiters.unknownPolicy('name', name, [...this.#limits.keys()])
  }
}
