import {
  type Decider,
  type Decision,
  type Instant,
  type Key,
  type Listed,
  type NotApplicable,
  notApplicable,
  type PerPolicy,
  type Policy,
  type Refused,
  type Store,
} from '@sluice/core'
import {
  isKey,
  isLater,
  isPolicy,
  isRecord,
  type limiters,
  optionError,
  type waits,
} from '@sluice/core/internal'
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
  refuseListed?(policy: string, about: { key: Key; listed: Listed; operation: 'check' }): Refused
  readonly firstPolicy?: string
  ready?(): Promise<void>
  close?(): Promise<void>
}

type Choose<Req> = (request: Req, view: RequestView) => Maybe<Policy | NotApplicable>

/** Policies of another reader's limiter that are decided here, too: unless a record names them, they count by that reader's keys. */
export interface Beside<Req> {
  readonly reader: SubjectReader<Req>
  readonly names: readonly string[]
}

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
  readonly #beside: Beside<Req> | undefined

  constructor(options: AnyOptions<Req>, limiter: GateLimiter, beside?: Beside<Req>) {
    this.#options = options
    this.#limiter = limiter
    this.#beside = beside
    this.#keys = new KeyAnswers(limiter, { answered: options.key !== undefined })
    this.#choices = choicesOf(options)
    this.chooses = this.#choices.length > 0
    this.#plain =
      options.skip === undefined &&
      typeof options.cost !== 'function' &&
      options.note === undefined &&
      options.since === undefined &&
      beside === undefined &&
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
    let subject = await this.#subject(request, view, key)
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

  async #subject(request: Req, view: RequestView, key?: PromiseLike<unknown>): Promise<unknown> {
    const answer = await (key ?? this.#options.key?.(request, view))
    const subject = this.#keys.subject(answer, view.network)
    if (this.#beside === undefined) return subject
    const { reader, names } = this.#beside
    const members = this.#keys.spread(subject)
    const theirs = reader.#keys.spread(await reader.#subject(request, view))
    for (const name of names) {
      const theirKey = theirs[name]
      if (theirKey !== undefined && !(isRecord(answer) && Object.hasOwn(answer, name)))
        members[name] = theirKey
    }
    return members
  }

  /** The subject of a request, to ask or reset by. Where no policy applies, a record that says so. */
  async subjectOf(request: Req, view: RequestView): Promise<unknown> {
    const subject = await this.#subject(request, view)
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

/** One key for each policy. */
type Members = { [name: string]: Key | NotApplicable }

/** What answers of key functions depend on: of the policies only their names. */
interface AskedLimiter extends Pick<GateLimiter, 'asksPaths' | 'warned'> {
  readonly lanes?: readonly Pick<limiters.Lane, 'name'>[]
}

const aKey = 'a string, a number or a list of them, or notApplicable'

/**
 * Turns the answer of a key function into a question. A client may have written the answer, so it never leads to an error, an
 * unlimited caller or a bucket that strangers share: where it is missing or is no key, the client's network is counted, under a key that
 * no answer can be. Values that no client can write are a mistake in the program, and throw an OptionError.
 */
export class KeyAnswers {
  readonly #limiter: AskedLimiter
  /** Whether there is a key function: none of its answers may equal the key that is counted where one is missing. */
  readonly #answered: boolean
  readonly #names: readonly string[] | undefined
  /** Whether a record has a key for each policy. With a single `policy` a record is no key. */
  readonly #byName: boolean
  #warned = false

  constructor(limiter: AskedLimiter, about: { answered: boolean }) {
    this.#limiter = limiter
    this.#answered = about.answered
    this.#names = limiter.lanes?.map(({ name }) => name)
    this.#byName = !(this.#names?.length === 1 && this.#names[0] === 'default')
  }

  /** What the limiter is asked about: `notApplicable` where no policy applies. */
  subject(answer: unknown, network: string): unknown {
    if (answer === notApplicable) return notApplicable
    if (this.#limiter.asksPaths === true) return this.#path(answer, network)
    if (isNothing(answer)) return this.#instead(network)
    if (isKey(answer)) return this.#own(answer)
    // A decider without known policies knows its own questions.
    if (this.#names === undefined) return answer
    return this.#byName && isRecord(answer)
      ? this.#members(answer, this.#names, network)
      : this.#notUsable('key', answer, network)
  }

  /**
   * The key of a client for which a key function has none: its network, by a name that no answer of a key function has. Otherwise a user
   * whose name is an address would share, and use up, the count of the clients there. Of 203.0.113.7 it is `keyless:203.0.113.7`.
   */
  #instead(network: string): string {
    return this.#answered ? `${mark}:${network}` : network
  }

  #own(answer: Key): Key {
    return this.#answered ? ownKey(answer) : answer
  }

  /** One key for each policy, in a record of our own: what a key function returned is not ours to change. */
  spread(subject: unknown): Members {
    if (isRecord(subject)) return { ...subject } as Members // made here
    const members: Members = {}
    for (const name of this.#names ?? []) members[name] = subject as Key // made here
    return members
  }

  /** The keys of the policies in a record. A name without a policy is left out, and never takes a policy's place. */
  #members(record: { readonly [name: string]: unknown }, names: readonly string[], network: string): Members {
    const members: Members = {}
    for (const name of names) {
      // A policy may be called `constructor`, and every object has one of those.
      const member = Object.hasOwn(record, name) ? record[name] : undefined
      members[name] = member === notApplicable ? notApplicable : this.#one(`key.${name}`, member, network)
    }
    if (!this.#warned) this.#lookForStrangers(record, names)
    return members
  }

  #one(path: string, member: unknown, network: string): Key {
    if (isKey(member)) return this.#own(member)
    return isNothing(member) ? this.#instead(network) : this.#notUsable(path, member, network)
  }

  /** A path through a tree. Each place is a name; in place of an empty one stands the network. */
  #path(answer: unknown, network: string): readonly string[] {
    if (!Array.isArray(answer) || answer.length === 0)
      throw optionError('key', 'a path such as ["user", "alex"], as the limiter is a tree', answer)
    const path: string[] = []
    for (let i = 0; i < answer.length; i++) {
      const place: unknown = answer[i]
      const name = Array.isArray(place)
        ? this.#notUsable(`key[${i}]`, place, network)
        : this.#one(`key[${i}]`, place, network)
      path.push(String(name))
    }
    return path
  }

  #notUsable(path: string, answer: unknown, network: string): string {
    refuseMistakes(path, answer)
    this.#warn(`${path}: expected ${aKey}, got ${kindOf(answer)}`)
    return this.#instead(network)
  }

  #lookForStrangers(record: { readonly [name: string]: unknown }, names: readonly string[]): void {
    for (const name of Object.keys(record)) {
      if (names.includes(name) || record[name] === notApplicable) continue
      const known = names.map((each) => `"${each}"`).join(', ')
      this.#warn(`key: expected a record by the names of the policies (${known}), got another name`)
      return
    }
  }

  /** Warns once, and never shows the answer: a client may have written it. */
  #warn(what: string): void {
    if (this.#warned) return
    this.#warned = true
    const message = `${what}: a value that is not a key counts under the client's network, and a name without a policy counts nothing`
    this.#limiter.warned?.({ code: 'SLUICE_KEY_NOT_USABLE', message })
  }
}

/** Whether an answer is nothing. A list of one empty text is, as it is joined to an empty text. */
function isNothing(answer: unknown): boolean {
  return Array.isArray(answer)
    ? answer.length === 0 || (answer.length === 1 && answer[0] === '')
    : answer === undefined || answer === null || answer === ''
}

/** Throws an OptionError for what no JSON, form or query becomes, alone or in a list. */
function refuseMistakes(path: string, answer: unknown): void {
  for (const each of Array.isArray(answer) ? answer : [answer]) {
    if (typeof each === 'function' || typeof each === 'symbol' || isLater(each))
      throw optionError(path, aKey, each)
  }
}

function kindOf(value: unknown): string {
  if (isKey(value) || !Array.isArray(value)) return simpleKindOf(value)
  return `a list with ${simpleKindOf(value.find((member: unknown) => !isKey(['', member])))} in it`
}

/** Does not show even the class of a plain object: a client can write a `constructor`. */
function simpleKindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'boolean') return 'true or false'
  if (typeof value === 'number') return 'NaN'
  if (Array.isArray(value)) return 'a list'
  return isRecord(value) ? 'an object' : `an object (${classOf(value)})`
}

function classOf(value: unknown): string {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name
  return typeof name === 'string' && name !== '' ? name : 'of some class'
}

/** Begins the keys of clients for which a key function has none. */
const mark = 'keyless'
const marked = /^keyless~*:/

/** The answer of a key function. One that begins like such a key gets a tilde more, so that no two answers become one key. */
function ownKey(answer: Key): Key {
  if (typeof answer === 'string')
    return answer.startsWith(mark) && marked.test(answer) ? `${mark}~${answer.slice(mark.length)}` : answer
  // A list of one is one key with its member.
  if (typeof answer === 'object' && answer.length === 1) return ownKey(answer[0] ?? '')
  return answer
}
