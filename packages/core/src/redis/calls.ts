import { randomBytes } from 'node:crypto'
import { type Clock, monotonicClock } from '../clock.ts'
import { storeError } from '../errors.ts'
import type { Change, Check, Command, Held, Question, Renewal, Rows } from '../store.ts'
import { type Connection, isTooWide, withoutKeys } from './connection.ts'
import type { Includes } from './join.ts'
import { checkAdjusted, readManaged, readRenewals } from './outcomes.ts'
import { integerOf, listOf, timeOf } from './reply.ts'
import { readRows } from './rows.ts'
import type { Script } from './script.ts'
import { Scripts } from './scripts.ts'
import { ServerClock } from './server-clock.ts'
import { adjustCall, type Call, decideCall, manageCall, renewCall, stateKey } from './wire.ts'

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
  { error, askedUs }: { error: unknown; askedUs: number },
) => Promise<readonly Rows[]>

/** `1` is the format of what is stored: a change to it changes the digit, so that old and new processes run side by side. */
const format = 'sl1:'
const name = 'redis'
/** So many are renewed by one script: a longer one would keep everybody waiting. */
const mostRenewals = 500

/** The script calls of a store, each an atomic step on the clock of the server that runs it. */
export class Calls {
  readonly clock: Clock
  readonly deadlineUs: number
  readonly #connection: Connection
  readonly #prefix: string
  readonly #inParts: InParts
  readonly #serverClock = new ServerClock()
  /** Of a cluster, by the names of its servers. */
  readonly #serverClocks = new Map<string, ServerClock>()
  readonly #decide: Scripts
  readonly #decideOne: Scripts
  readonly #adjust: Scripts
  readonly #manage: Scripts
  readonly #renew: Scripts
  /** Tells the calls of this store from those of every other. */
  readonly #mark = randomBytes(6).toString('base64url')
  #calls = 0

  constructor(
    { connection, prefix, deadlineUs, clock = monotonicClock, includes }: RedisStoreParts,
    inParts: InParts,
  ) {
    this.clock = clock
    this.deadlineUs = deadlineUs
    this.#connection = connection
    this.#prefix = prefix + format
    this.#inParts = inParts
    this.#decide = new Scripts('decide', includes)
    this.#decideOne = new Scripts('decideOne', includes)
    this.#adjust = new Scripts('adjust', includes)
    this.#manage = new Scripts('manage', includes)
    this.#renew = new Scripts('renew', includes)
  }

  /** The name of a check's state on the server. */
  keyOf(check: Check): string {
    return stateKey(this.#prefix, check)
  }

  /** In one call, of which the first is sent when it was asked. */
  decide(
    questions: readonly Question[],
    askedUs: number,
    sentUs: number = askedUs,
  ): Promise<readonly Rows[]> {
    const serverClock = this.#clockFor(questions)
    if (this.deadlineUs > 0 && !serverClock.known) return this.#decideFirst(questions, askedUs)
    return this.#ask(questions, askedUs, sentUs)
  }

  /** Until the server's clock is known a late script could not be told that it is late: its TIME is asked first. */
  async #decideFirst(questions: readonly Question[], askedUs: number): Promise<readonly Rows[]> {
    await this.#askTime(questions)
    const sentUs = this.clock.nowUs()
    if (sentUs - askedUs > this.deadlineUs) throw storeError(name, 'the store answered too late')
    return this.#ask(questions, askedUs, sentUs)
  }

  async #ask(questions: readonly Question[], askedUs: number, sentUs: number): Promise<readonly Rows[]> {
    const serverClock = this.#clockFor(questions)
    const checks = checksOf(questions)
    const notAfterUs = this.deadlineUs === 0 ? 0 : serverClock.at(askedUs + this.deadlineUs)
    const { keys, args } = decideCall(questions, {
      prefix: this.#prefix,
      notAfterUs,
      callId: this.#nextCall(),
    })
    const scripts = keys.length === 1 ? this.#decideOne : this.#decide
    let reply: unknown
    try {
      reply = await this.#connection.run(scripts.for(checks), keys, args)
    } catch (error) {
      if (keys.length === 1 || !isTooWide(error)) throw withoutKeys(error)
      return this.#inParts(questions, { error, askedUs })
    }
    const told = listOf(reply)
    const serverUs = integerOf(told[0])
    if (told.length === 1 && notAfterUs > 0) return this.#askAgain(questions, askedUs, { sentUs, serverUs })
    const rows = readRows(questions, told)
    serverClock.observe(sentUs, serverUs)
    return rows
  }

  /** Answered as too late, in time: the server's clock has moved. The call took nothing and may be sent again. */
  #askAgain(
    questions: readonly Question[],
    askedUs: number,
    { sentUs, serverUs }: { sentUs: number; serverUs: number },
  ): Promise<readonly Rows[]> {
    const nowUs = this.clock.nowUs()
    if (nowUs - askedUs > this.deadlineUs) throw storeError(name, 'the store answered too late')
    this.#clockFor(questions).restart(sentUs, serverUs)
    return this.#ask(questions, askedUs, nowUs)
  }

  async adjust(changes: readonly Change[]): Promise<void> {
    const call = adjustCall(changes, { prefix: this.#prefix, callId: this.#nextCall() })
    const script = this.#adjust.for(changes.map(({ check }) => check))
    checkAdjusted(changes, await this.#run(script, call))
  }

  async renew(held: readonly Held[]): Promise<readonly Renewal[]> {
    const calls: Promise<readonly Renewal[]>[] = []
    for (let i = 0; i < held.length; i += mostRenewals)
      calls.push(this.#renewSome(held.slice(i, i + mostRenewals)))
    return (await Promise.all(calls)).flat()
  }

  async #renewSome(held: readonly Held[]): Promise<readonly Renewal[]> {
    const script = this.#renew.for(held.map(({ check }) => check))
    return readRenewals(held, await this.#run(script, renewCall(held, this.#prefix)))
  }

  async manage(command: Command): Promise<unknown> {
    const script = this.#manage.for([command.check])
    return readManaged(command, await this.#run(script, manageCall(command, this.#prefix)))
  }

  async #run(script: Script, { keys, args }: Call): Promise<unknown> {
    try {
      return await this.#connection.run(script, keys, args)
    } catch (error) {
      throw withoutKeys(error)
    }
  }

  /** Asks for the time: of the server that decides these questions, or of any. Then it answers, and its clock is known. */
  async ready(): Promise<void> {
    await this.#askTime([])
  }

  async #askTime(questions: readonly Question[]): Promise<void> {
    const sentUs = this.clock.nowUs()
    try {
      const time = await this.#connection.send('TIME', [], this.#firstKey(questions))
      this.#clockFor(questions).observe(sentUs, timeOf(time))
    } catch (error) {
      throw withoutKeys(error)
    }
  }

  #firstKey(questions: readonly Question[]): string | undefined {
    const check = questions[0]?.checks[0]
    return check === undefined || this.#connection.nodeOf === undefined ? undefined : this.keyOf(check)
  }

  /** Every server of a cluster has a clock of its own; that of a slot which has moved is told as any clock that has. */
  #clockFor(questions: readonly Question[]): ServerClock {
    const key = this.#firstKey(questions)
    if (key === undefined) return this.#serverClock
    const server = this.#connection.nodeOf?.(key) ?? ''
    const known = this.#serverClocks.get(server)
    if (known !== undefined) return known
    const serverClock = new ServerClock()
    this.#serverClocks.set(server, serverClock)
    return serverClock
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
