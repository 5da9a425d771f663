import type { Decider, Decision, Instant, Key, Listed, PerPolicy, Policy, Refused, Store } from '@sluice/core'
import { type NotApplicable, notApplicable } from '@sluice/core'
import { isLater, isPolicy, type limiters, optionError, type waits } from '@sluice/core/internal'
import { KeyAnswers } from './key-answers.ts'
import type { AnyOptions, Maybe } from './options.ts'
import type { RequestView } from './request-view.ts'

interface AskOptions {
  cost?: PerPolicy<string, number> | string | undefined
  policies?: { readonly [name: string]: Policy } | undefined
  note?: string | undefined
  since?: Instant | undefined
}

/** A limiter whose requests may be made to wait. */
export type Holder = Parameters<typeof waits.sleepersOf>[0]

/** What a gate asks: any Decider, and the quicker ways that our own limiters have beside `check`. */
export interface GateLimiter extends Decider<never>, Partial<Omit<Holder, 'store'>> {
  /** The policies that take part, where they are known beforehand. */
  readonly lanes?: readonly limiters.Lane[]
  /** Whether a question is a path: a key function answers a list of names. */
  readonly asksPaths?: boolean
  /** Units by kind of request. */
  readonly prices?: limiters.CommonSettings['prices']
  readonly store?: Store
  decide?(subject: never, options: AskOptions | undefined, operation: 'check'): Maybe<Decision>
  delay?(subject: never, options: AskOptions | undefined, wait: waits.Wait): Maybe<Decision>
  /** The lists that change while it runs. */
  readonly lists?: { ofAddress(address: string): Listed | undefined } | undefined
  deny?(key: Key): Refused
  refuseListed?(policy: string, about: { key: Key; listed: Listed; operation: 'check' }): Refused
  readonly firstPolicy?: string
  ready?(): Promise<void>
  close?(): Promise<void>
}

type Choose<Req> = (request: Req, view: RequestView) => Maybe<Policy | NotApplicable>

/** Turns a request into a question: key, cost, note, since when its windows count, and the policies chosen for it. */
export class SubjectReader<Req> {
  readonly #options: AnyOptions<Req>
  readonly #limiter: GateLimiter
  readonly #keys: KeyAnswers
  /** Policies that are chosen anew for each request. */
  readonly #choices: readonly (readonly [string, Choose<Req>])[]
  /** Whether there are any. */
  readonly chooses: boolean
  /** Whether nothing but a key is to be found out, so that no promise is needed. */
  readonly #plain: boolean

  constructor(options: AnyOptions<Req>, limiter: GateLimiter) {
    this.#options = options
    this.#limiter = limiter
    this.#keys = new KeyAnswers(limiter, { answered: options.key !== undefined })
    this.#choices = choicesOf(options)
    this.chooses = this.#choices.length > 0
    this.#plain =
      options.skip === undefined &&
      typeof options.cost !== 'function' &&
      options.note === undefined &&
      options.since === undefined &&
      !this.chooses
  }

  /** Asks the limiter about a request. null: it is skipped, or no policy applies. */
  ask(request: Req, view: RequestView, wait?: waits.Wait): Maybe<Decision | null> {
    if (!this.#plain) return this.#askSlowly(request, view, { wait })
    const key = this.#options.key === undefined ? undefined : this.#options.key(request, view)
    if (isLater(key)) return this.#askSlowly(request, view, { wait, key })
    const { cost } = this.#options
    const options = cost === undefined ? undefined : { cost: cost as PerPolicy<string, number> | string } // no function: plain
    const subject = this.#keys.subject(key, view.network)
    if (subject === notApplicable) return null
    return this.#decide(subject, options, wait)
  }

  async #askSlowly(
    request: Req,
    view: RequestView,
    { wait, key }: { wait: waits.Wait | undefined; key?: PromiseLike<unknown> },
  ): Promise<Decision | null> {
    const { skip, cost, note, since } = this.#options
    if (skip !== undefined && (await skip(request, view))) return null
    const answer = await (key ?? this.#options.key?.(request, view))
    let subject = this.#keys.subject(answer, view.network)
    if (subject === notApplicable) return null
    const options: AskOptions = {
      cost: typeof cost === 'function' ? await cost(request, view) : cost,
      note: await note?.(request, view),
      since: await since?.(request, view),
    }
    if (this.chooses) {
      const policies: { [name: string]: Policy } = {}
      const members = this.#keys.spread(subject)
      for (const [name, choose] of this.#choices) {
        const policy: unknown = await choose(request, view)
        if (policy === notApplicable) members[name] = notApplicable
        else policies[name] = chosen(policy, name)
      }
      options.policies = policies
      subject = members
    }
    return await this.#decide(subject, options, wait)
  }

  #decide(subject: unknown, options: AskOptions | undefined, wait: waits.Wait | undefined): Maybe<Decision> {
    const limiter = this.#limiter
    const asked = subject as never // of the limiter's own kind, or it throws a TypeError
    if (wait !== undefined && limiter.delay !== undefined) return limiter.delay(asked, options, wait)
    return limiter.decide === undefined
      ? limiter.check(asked, options)
      : limiter.decide(asked, options, 'check')
  }

  /** The subject of a request, to ask or reset by. Where no policy applies, a record that says so. */
  async subjectOf(request: Req, view: RequestView): Promise<unknown> {
    const subject = this.#keys.subject(await this.#options.key?.(request, view), view.network)
    return subject === notApplicable && this.#limiter.lanes !== undefined
      ? this.#keys.spread(subject)
      : subject
  }
}

/** Throws where a choice is no policy. No limit at all is said by a constant, never by a look-up of a plan that finds nothing. */
function chosen(policy: unknown, name: string): Policy {
  if (isPolicy(policy)) return policy
  const path = name === 'default' ? 'policy' : `policies.${name}`
  throw optionError(path, 'a policy, or notApplicable where no limit is meant', policy)
}

function choicesOf<Req>({ policy, policies }: AnyOptions<Req>): readonly (readonly [string, Choose<Req>])[] {
  const choices = policies ?? (policy === undefined ? {} : { default: policy })
  return Object.entries(choices).flatMap(([name, choice]) =>
    typeof choice === 'function' ? [[name, choice] as const] : [],
  )
}
