import type { Decision, PerPolicy, Refused } from '../decision.ts'
import { optionError } from '../errors.ts'
import type { Key } from '../key.ts'
import type { Patience } from '../limiter/holding.ts'
import type { Lane } from '../limiter/lane.ts'
import type { Decider } from '../limiter/limiter.ts'
import { checking, type Manner } from '../limiter/manner.ts'
import { memberOf } from '../limiter/members.ts'
import { isRecord } from '../options.ts'
import type { Policy } from '../policy.ts'
import type { Store } from '../store.ts'
import { isLater } from './later.ts'
import type { AnyOptions, Maybe } from './options.ts'
import type { RequestView } from './view.ts'

interface AskOptions {
  cost?: PerPolicy<string, number> | undefined
  policies?: { readonly [name: string]: Policy } | undefined
  note?: string | undefined
}

/** What a gate asks: any Decider, and the quicker ways that our own limiters have beside `check`. */
export interface AskedDecider extends Decider<never> {
  /** The policies that take part, where they are known beforehand. */
  readonly lanes?: readonly Lane[]
  readonly store?: Store
  decide?(subject: never, options: AskOptions | undefined, manner: Manner): Maybe<Decision>
  hold?(subject: never, options: AskOptions | undefined, patience: Patience): Maybe<Decision>
  deny?(key: Key): Refused
  ready?(): Promise<void>
  close?(): Promise<void>
  warned?(code: string, message: string): void
}

type Choose<Req> = (request: Req, view: RequestView) => Maybe<Policy | null>
type Members = { [name: string]: Key | null | undefined }

/** A list of one empty text is joined to an empty one. */
function isEmpty(key: unknown): boolean {
  return Array.isArray(key)
    ? key.length === 0 || (key.length === 1 && key[0] === '')
    : key === undefined || key === ''
}

function isMembers(key: unknown): key is Members {
  return typeof key === 'object' && key !== null && !Array.isArray(key)
}

/** Turns a request into a question: key, cost, note and the policies chosen for it. */
export class Asker<Req> {
  readonly #options: AnyOptions<Req>
  readonly #limiter: AskedDecider
  /** Policies that are chosen anew for each request. */
  readonly #choices: readonly (readonly [string, Choose<Req>])[]
  /** Nothing but a key is to be found out: no promise is needed. */
  readonly #plain: boolean

  constructor(options: AnyOptions<Req>, limiter: AskedDecider) {
    this.#options = options
    this.#limiter = limiter
    this.#choices = choicesOf(options)
    this.#plain =
      options.skip === undefined &&
      typeof options.cost !== 'function' &&
      options.note === undefined &&
      this.#choices.length === 0
  }

  /** null: skipped, or nothing applies. */
  ask(request: Req, view: RequestView, patience?: Patience): Maybe<Decision | null> {
    if (!this.#plain) return this.#askSlowly(request, view, { patience })
    const key = this.#options.key === undefined ? undefined : this.#options.key(request, view)
    if (isLater(key)) return this.#askSlowly(request, view, { patience, key })
    const { cost } = this.#options
    const options = cost === undefined ? undefined : { cost: cost as PerPolicy<string, number> } // no function: plain
    const decision = this.#decide(this.#subject(key, view), options, patience)
    return isLater(decision) ? decision.then(counted) : counted(decision)
  }

  async #askSlowly(
    request: Req,
    view: RequestView,
    { patience, key }: { patience: Patience | undefined; key?: PromiseLike<unknown> },
  ): Promise<Decision | null> {
    const { skip, cost, note } = this.#options
    if (skip !== undefined && (await skip(request, view))) return null
    const answer = await (key ?? this.#options.key?.(request, view))
    let subject = this.#subject(answer, view)
    const options: AskOptions = {
      cost: typeof cost === 'function' ? await cost(request, view) : cost,
      note: note?.(request, view),
    }
    if (this.#choices.length > 0) {
      const policies: { [name: string]: Policy } = {}
      const members = this.#spread(subject)
      for (const [name, choose] of this.#choices) {
        const policy = await choose(request, view)
        if (policy === null) members[name] = null
        else policies[name] = policy
      }
      options.policies = policies
      subject = members
    }
    return counted(await this.#decide(subject, options, patience))
  }

  #decide(
    subject: unknown,
    options: AskOptions | undefined,
    patience: Patience | undefined,
  ): Maybe<Decision> {
    const limiter = this.#limiter
    const asked = subject as never // of the limiter's own kind, or it throws a TypeError
    if (patience !== undefined && limiter.hold !== undefined) return limiter.hold(asked, options, patience)
    return limiter.decide === undefined
      ? limiter.check(asked, options)
      : limiter.decide(asked, options, checking)
  }

  /** `undefined`, whole or one member, is the client's network: neither a shared bucket nor an unlimited caller. */
  #subject(key: unknown, view: RequestView): unknown {
    if (isEmpty(key)) return view.network
    const { lanes } = this.#limiter
    if (lanes === undefined) return key
    // null for all policies would be an unlimited caller; a Date or an id of some class has no members that were meant.
    if (key === null || (isMembers(key) && !isRecord(key)))
      throw optionError('key', 'a text, a number, a list of them, or one for each policy', key)
    if (!isMembers(key)) return key
    let members: Members = key
    for (const { name } of lanes) {
      if (!isEmpty(memberOf(members, name))) continue
      if (members === key) members = { ...key }
      members[name] = view.network
    }
    return members
  }

  /** One key for each policy, in a record of our own: what a key function returned is not ours to change. */
  #spread(subject: unknown): Members {
    if (isMembers(subject)) return { ...subject }
    const members: Members = {}
    for (const { name } of this.#limiter.lanes ?? []) members[name] = subject as Key // checked when it is encoded
    return members
  }

  async subjectOf(request: Req, view: RequestView): Promise<unknown> {
    return this.#subject(await this.#options.key?.(request, view), view)
  }
}

/** A decision about nothing is as good as skipped. */
function counted(decision: Decision): Decision | null {
  return decision.allowed && decision.limit === Number.POSITIVE_INFINITY ? null : decision
}

function choicesOf<Req>({ policy, policies }: AnyOptions<Req>): readonly (readonly [string, Choose<Req>])[] {
  const choices = policies ?? (policy === undefined ? {} : { default: policy })
  return Object.entries(choices).flatMap(([name, choice]) =>
    typeof choice === 'function' ? [[name, choice] as const] : [],
  )
}
