import type {
  Decision,
  Inspection,
  Limiter,
  ListName,
  NotApplicable,
  Policies,
  RedisClient,
  Store,
  StoreEvent,
} from '@sluice/core'
import type { Operations } from '@sluice/operations'
import type { Processor } from '@sluice/queue'
import type { Instance } from '../inside/load.ts'
import { Client, type ClientParts } from '../link/client.ts'
import { ClusterClient } from '../link/cluster-client.ts'
import type { Machine } from '../world/machine.ts'
import { type JobQueue, makeQueue } from './job-queue.ts'
import type { Scenario } from './plan.ts'
import { optionsOf, policyOf } from './policies.ts'
import type { Record } from './record.ts'
import { silent } from './silent.ts'

/** A key, or one for each policy. */
export type Subject = string | { readonly [policy: string]: string | NotApplicable }

/** A limiter with all abilities: which of them its policies have is known when the calls are drawn. */
export type AnyLimiter = Pick<Limiter<Policies>, 'ready' | 'health' | 'close'> & {
  readonly [operation in 'check' | 'peek' | 'reserve' | 'wait']: (
    subject: Subject,
    options?: object,
  ) => ReturnType<Limiter<Policies>['check']>
} & {
  readonly [operation in 'penalize' | 'reward' | 'set' | 'block']: (
    subject: Subject,
    amount: number,
  ) => Promise<void>
} & {
  run(subject: Subject, work: (decision: Decision) => Promise<void>, options?: object): Promise<void>
  unblock(subject: Subject): Promise<void>
  reset(subject: Subject): Promise<void>
  inspect(subject: Subject): Promise<{ readonly [policy: string]: Inspection }>
}

/** One simulated process: a machine, the code on it, its client, its store and its limiter. */
export class Process {
  readonly nth: number
  readonly machine: Machine
  readonly instance: Instance
  readonly clients: Client[] = []
  readonly #connect: () => Client
  readonly store: Store
  #operations: Operations | undefined
  #limits: ReturnType<Operations['limits']> | undefined
  readonly queue: JobQueue | undefined
  #member: Processor | undefined
  readonly limiter: AnyLimiter
  readonly #scenario: Scenario
  readonly record: Record

  constructor(
    nth: number,
    {
      instance,
      scenario,
      record,
      link,
    }: { instance: Instance; scenario: Scenario; record: Record; link: Omit<ClientParts, 'code'> },
  ) {
    const { code } = instance
    this.nth = nth
    this.machine = link.machine
    this.instance = instance
    this.record = record
    this.#scenario = scenario
    this.#connect = () => {
      const parts = { ...link, code }
      const { slots } = link.server
      const knows = slots !== undefined && scenario.cluster?.isUnknown === false
      const client = knows ? new ClusterClient(parts, slots) : new Client(parts)
      this.clients.push(client)
      return client
    }
    const { deadlineMs, connectDeadlineMs, maxKeys, shares } = scenario
    const inner = new code.inRedis.RedisStore({
      connection: this.#connect(),
      prefix: '',
      deadlineUs: deadlineMs * 1000,
      refusalsUs: scenario.refusalCacheMs * 1000,
    })
    this.store = code.guardedStore(inner, {
      deadline: deadlineMs,
      connectDeadline: connectDeadlineMs,
      maxKeys,
      ...(shares > 0 && { processes: shares }),
    })
    if (scenario.lists === true || scenario.changes === true)
      this.#operations = code.operations({ redis: this.#redis, logger: silent })
    this.limiter = this.#limiterOf(scenario)
    const { queue } = scenario
    this.queue = queue && makeQueue(instance, { scenario, queue, redis: this.#redis })
  }

  /** Makes the process a member of the queue: from now on it takes jobs. */
  join(begin: (queue: JobQueue) => Processor): void {
    if (this.queue !== undefined) this.#member = begin(this.queue)
  }

  /** The option `redis` of this process, see inside/own-client.ts. */
  get #redis(): RedisClient {
    const redis: unknown = { connect: this.#connect }
    return redis as RedisClient
  }

  async enlist(list: ListName, key: string, ms: number): Promise<void> {
    await this.#operations?.lists.put({ list, key }, ms)
  }

  async unlist(key: string): Promise<void> {
    for (const list of ['deny', 'block', 'allow'] as const)
      await this.#operations?.lists.remove({ list, key })
  }

  async change(forMs: number): Promise<void> {
    const { chosen = [], scale } = this.#scenario
    for (const policy of chosen)
      await this.#limits?.set(policy.name, optionsOf(policy, scale), { for: forMs })
  }

  async restore(): Promise<void> {
    for (const { name } of this.#scenario.chosen ?? []) await this.#limits?.restore(name)
  }

  /** Whether a limit is changed here. */
  get isChanged(): boolean {
    const { policies, scale } = this.#scenario
    const limits = this.#limits
    if (limits === undefined) return false
    return policies.some((policy) => limits.now(policy.name) !== policyOf(this.instance.code, policy, scale))
  }

  async leave(timeoutMs: number): Promise<void> {
    await this.#member?.stop({ timeout: timeoutMs })
  }

  async close(): Promise<void> {
    await this.#member?.stop()
    await this.queue?.close()
    await this.limiter.close()
    await this.#operations?.close()
    await this.store.close()
  }

  #limiterOf({ policies, charge, aheadMs, scale, lists, changes }: Scenario): AnyLimiter {
    const { code } = this.instance
    const operations = this.#operations
    const made: { [name: string]: Policies[string] } = {}
    for (const policy of policies) made[policy.name] = policyOf(code, policy, scale)
    if (changes === true) this.#limits = operations?.limits(made)
    const byName = <T>(of: (policy: (typeof policies)[number]) => T) =>
      Object.fromEntries(policies.map((policy) => [policy.name, of(policy)]))
    const limiter: unknown = code.createLimiter({
      policies: this.#limits?.policies ?? made,
      store: this.store,
      charge,
      onStoreFailure: byName(({ onStoreFailure }) => onStoreFailure),
      shadow: byName(({ shadow }) => shadow),
      ...(aheadMs > 0 && { ahead: aheadMs }),
      observers: [this.#observer(), ...(operations === undefined ? [] : [operations])],
      ...(operations !== undefined && lists === true && { lists: [operations.lists] }),
      logger: silent,
    })
    return limiter as AnyLimiter // what it lacks is never called
  }

  /** Status and breaker, as health reports them. */
  #state(): string {
    const { status, breaker } = this.limiter.health()
    return `${status} ${breaker}`
  }

  #observer() {
    const tell = (kind: Record['told'][number]['kind'], about: string) =>
      this.record.told.push({ process: this.nth, atUs: this.machine.time.nowUs, kind, about })
    return {
      decided: ({ allowed, source }: { allowed: boolean; source: string }) =>
        void tell('decided', `${allowed} ${source}`),
      storeFailed: ({ kind, error }: StoreEvent) =>
        void tell(kind, kind === 'failed' || kind === 'late' ? (error?.message ?? '') : this.#state()),
      storeRecovered: ({ kind }: StoreEvent) => void tell(kind, this.#state()),
      lost: () => void tell('lost', ''),
      warned: ({ code }: { code: string }) => void tell('warned', code),
    }
  }
}
