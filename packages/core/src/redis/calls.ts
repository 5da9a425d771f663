import { randomBytes } from 'node:crypto'
import { type Clock, monotonicClock } from '../clock.ts'
import { stateFormat, stateKey } from '../key.ts'
import type { Policy } from '../policy.ts'
import type { Change, Check, Command, HeldLease, Question, Renewal, StoreRows } from '../store.ts'
import { type Argument, type Connection, isTooWide, withoutKeys } from './connection.ts'
import type { Includes } from './join.ts'
import { checkAdjusted, readManaged, readRenewals } from './outcomes.ts'
import { readRows } from './rows.ts'
import type { Script } from './script.ts'
import { Scripts } from './scripts.ts'
import { type Asking, type TimedCall, TimedCalls } from './timed-calls.ts'
import { adjustCall, decideCall, manageCall, renewCall, type ScriptCall } from './wire.ts'

export interface RedisStoreParts {
  readonly connection: Connection
  /** Stands before every key. */
  readonly prefix: string
  /** A script that starts later than this after its call was sent takes nothing; 0: no bound. */
  readonly deadlineUs: number
  readonly clock?: Clock | undefined
  /** Shared Lua pieces in place of the shipped ones of the same name, for tests. */
  readonly includes?: Includes | undefined
}

/** Decides what one call could not, as its keys do not lie in one place; nothing was taken. */
export type InParts = (
  questions: readonly Question[],
  { error, asking }: { error: unknown; asking: Asking },
) => Promise<readonly StoreRows[]>

/** A call that decides nothing: it is too late, and so only loads its script. */
const tooLate = [0, 1]
/** Renewals in one script call: a longer script would hold up all other clients. */
const mostRenewals = 500

/** The call of `decide.lua` for some questions. */
class DecideCall implements TimedCall<readonly StoreRows[]> {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: Argument[]
  readonly #questions: readonly Question[]
  readonly #inParts: InParts

  constructor(
    questions: readonly Question[],
    { keys, args }: ScriptCall,
    about: { script: Script; inParts: InParts },
  ) {
    this.script = about.script
    this.keys = keys
    this.args = args
    this.#questions = questions
    this.#inParts = about.inParts
  }

  read(reply: readonly unknown[]): readonly StoreRows[] {
    return readRows(this.#questions, reply)
  }

  async failed(error: unknown, asking: Asking): Promise<readonly StoreRows[]> {
    if (this.keys.length === 1 || !isTooWide(error)) throw withoutKeys(error)
    return this.#inParts(this.#questions, { error, asking })
  }
}

/** The script calls of a store, each an atomic step on the clock of the server that runs it. */
export class Calls {
  readonly #timed: TimedCalls
  readonly #connection: Connection
  readonly #prefix: string
  readonly #inParts: InParts
  readonly #decide: Scripts
  readonly #decideOne: Scripts
  readonly #adjust: Scripts
  readonly #manage: Scripts
  readonly #renew: Scripts
  /** Distinguishes this store's calls from those of all others. */
  readonly #mark = randomBytes(6).toString('base64url')
  #calls = 0
  #begun = false
  /** Of the limiters so far, and not sent yet. */
  readonly #unloaded = new Set<Script>()

  constructor(
    { connection, prefix, deadlineUs, clock = monotonicClock, includes }: RedisStoreParts,
    inParts: InParts,
  ) {
    this.#timed = new TimedCalls(connection, { clock, deadlineUs })
    this.#connection = connection
    this.#prefix = prefix + stateFormat
    this.#inParts = inParts
    this.#decide = new Scripts('decide', includes)
    this.#decideOne = new Scripts('decideOne', includes)
    this.#adjust = new Scripts('adjust', includes)
    this.#manage = new Scripts('manage', includes)
    this.#renew = new Scripts('renew', includes)
  }

  get clock(): Clock {
    return this.#timed.clock
  }

  get deadlineUs(): number {
    return this.#timed.deadlineUs
  }

  /** The name of a check's state on the server. */
  keyOf(check: Check): string {
    return stateKey(this.#prefix, check)
  }

  /** In one call, of which the first is sent when it was asked. */
  decide(
    questions: readonly Question[],
    asking: Asking,
    sentUs: number = asking.askedUs,
  ): Promise<readonly StoreRows[]> {
    const call = decideCall(questions, { prefix: this.#prefix, callId: this.#nextCall() })
    const scripts = call.keys.length === 1 ? this.#decideOne : this.#decide
    const about = { script: scripts.for(checksOf(questions)), inParts: this.#inParts }
    return this.#timed.run(new DecideCall(questions, call, about), asking, sentUs)
  }

  async adjust(changes: readonly Change[]): Promise<void> {
    const call = adjustCall(changes, { prefix: this.#prefix, callId: this.#nextCall() })
    const script = this.#adjust.for(changes.map(({ check }) => check))
    checkAdjusted(changes, await this.#run(script, call))
  }

  async renew(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    const calls: Promise<readonly Renewal[]>[] = []
    for (let i = 0; i < held.length; i += mostRenewals)
      calls.push(this.#renewSome(held.slice(i, i + mostRenewals)))
    return (await Promise.all(calls)).flat()
  }

  async #renewSome(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    const script = this.#renew.for(held.map(({ check }) => check))
    return readRenewals(held, await this.#run(script, renewCall(held, this.#prefix)))
  }

  async manage(command: Command): Promise<unknown> {
    const script = this.#manage.for([command.check])
    return readManaged(command, await this.#run(script, manageCall(command, this.#prefix)))
  }

  async #run(script: Script, { keys, args }: ScriptCall): Promise<unknown> {
    try {
      return await this.#connection.run(script, keys, args)
    } catch (error) {
      throw withoutKeys(error)
    }
  }

  /** Asks for the time: then it answers, and its clock is known. */
  ready(): Promise<void> {
    return this.#timed.askTime()
  }

  /** Also every server of a cluster, and each is sent the scripts. */
  async begin(): Promise<void> {
    await this.ready()
    this.#begun = true
    await Promise.all([this.#timed.askTimes(), this.#load()])
  }

  /** Loads the scripts of a limiter ahead of its first call. Errors are left to that call. */
  prepare(policies: readonly Policy[]): void {
    const checks = policies.map((policy) => ({ policy }))
    for (const check of checks) this.#unloaded.add(this.#decideOne.for([check]))
    if (checks.length > 1) this.#unloaded.add(this.#decide.for(checks))
    if (this.#begun) void this.#load()
  }

  /** By the commands that decide: a user may lack others. */
  async #load(): Promise<void> {
    const scripts = [...this.#unloaded]
    this.#unloaded.clear()
    await Promise.allSettled(scripts.map(({ text }) => this.#sendToAll('EVAL', [text, ...tooLate])))
  }

  async #sendToAll(command: string, args: readonly Argument[]): Promise<readonly unknown[]> {
    return this.#connection.sendToAll?.(command, args) ?? [await this.#connection.send(command, args)]
  }

  #nextCall(): string {
    return `${this.#mark}${(this.#calls++).toString(36)}`
  }
}

function checksOf(questions: readonly Question[]): readonly Check[] {
  return questions.length === 1 && questions[0] !== undefined
    ? questions[0].checks
    : questions.flatMap(({ checks }) => checks)
}
