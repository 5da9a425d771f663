import { randomBytes } from 'node:crypto'
import { type Clock, monotonicClock } from '../clock.ts'
import { optionError, storeError } from '../errors.ts'
import type { Policy } from '../policy.ts'
import type { Change, Command, Question, Rows, Store } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import type { Connection } from './connection.ts'
import type { Includes } from './join.ts'
import { Scripts } from './scripts.ts'
import { ServerClock } from './server-clock.ts'
import { adjustCall, decideCall, manageCall, readRows, readSight } from './wire.ts'

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

/** `1` is the format of what is stored: a change to it changes the digit, so that old and new processes run side by side. */
const format = 'sl1:'

/** One atomic script call for all that is asked, on the server's clock. Unguarded: bound its waits by a guard around it. */
export class RedisStore implements Store {
  readonly name = 'redis'
  readonly #connection: Connection
  readonly #prefix: string
  readonly #deadlineUs: number
  readonly #clock: Clock
  readonly #serverClock = new ServerClock()
  readonly #decide: Scripts
  readonly #decideOne: Scripts
  readonly #adjust: Scripts
  readonly #manage: Scripts
  /** Tells the calls of this store from those of every other. */
  readonly #mark = randomBytes(6).toString('base64url')
  #calls = 0

  constructor({ connection, prefix, deadlineUs, clock = monotonicClock, includes }: RedisStoreParts) {
    this.#connection = connection
    this.#prefix = prefix + format
    this.#deadlineUs = deadlineUs
    this.#clock = clock
    this.#decide = new Scripts('decide', includes)
    this.#decideOne = new Scripts('decideOne', includes)
    this.#adjust = new Scripts('adjust', includes)
    this.#manage = new Scripts('manage', includes)
  }

  decide(questions: readonly Question[]): Promise<readonly Rows[]> {
    const sentUs = this.#clock.nowUs()
    if (this.#deadlineUs > 0 && !this.#serverClock.known) return this.#decideFirst(questions, sentUs)
    return this.#ask(questions, sentUs, sentUs)
  }

  /** Until the server's clock is known a late script could not be told that it is late: its TIME is asked first. */
  async #decideFirst(questions: readonly Question[], askedUs: number): Promise<readonly Rows[]> {
    await this.ready()
    const sentUs = this.#clock.nowUs()
    if (sentUs - askedUs > this.#deadlineUs) throw storeError(this.name, 'the store answered too late')
    return this.#ask(questions, askedUs, sentUs)
  }

  async #ask(questions: readonly Question[], askedUs: number, sentUs: number): Promise<readonly Rows[]> {
    const checks =
      questions.length === 1 && questions[0] !== undefined
        ? questions[0].checks
        : questions.flatMap((q) => q.checks)
    const notAfterUs = this.#deadlineUs === 0 ? 0 : this.#serverClock.at(askedUs + this.#deadlineUs)
    const { keys, args } = decideCall(questions, {
      prefix: this.#prefix,
      notAfterUs,
      callId: this.#nextCall(),
    })
    const scripts = questions.length === 1 && checks.length === 1 ? this.#decideOne : this.#decide
    const reply = await this.#connection.run(scripts.for(checks), keys, args)
    if (!Array.isArray(reply)) throw storeError(this.name, 'the store answered no rows')
    if (reply.length === 1) return this.#askAgain(questions, askedUs, { sentUs, serverUs: Number(reply[0]) })
    this.#serverClock.observe(sentUs, Number(reply[0]))
    return readRows(questions, reply)
  }

  /** Answered as too late, in time: the server's clock has moved. The call took nothing and may be sent again. */
  #askAgain(
    questions: readonly Question[],
    askedUs: number,
    { sentUs, serverUs }: { sentUs: number; serverUs: number },
  ): Promise<readonly Rows[]> {
    const nowUs = this.#clock.nowUs()
    if (nowUs - askedUs > this.#deadlineUs) throw storeError(this.name, 'the store answered too late')
    this.#serverClock.restart(sentUs, serverUs)
    return this.#ask(questions, askedUs, nowUs)
  }

  async adjust(changes: readonly Change[]): Promise<void> {
    const { keys, args } = adjustCall(changes, { prefix: this.#prefix, callId: this.#nextCall() })
    await this.#connection.run(this.#adjust.for(changes.map(({ check }) => check)), keys, args)
  }

  async manage(command: Command): Promise<unknown> {
    const { keys, args } = manageCall(command, this.#prefix)
    const reply = await this.#connection.run(this.#manage.for([command.check]), keys, args)
    if (command.op !== 'inspect') return undefined
    if (!Array.isArray(reply)) throw storeError(this.name, 'the store showed nothing')
    return readSight(command, reply)
  }

  accept(policy: Policy, path: string): void {
    const { definition } = partsOf(policy)
    if (definition.redis !== undefined) return
    throw optionError(path, 'a strategy with a Lua half (`redis`), as this store needs', definition.name)
  }

  /** Asks the server for its time: it answers, and its clock is known. */
  async ready(): Promise<void> {
    const sentUs = this.#clock.nowUs()
    const time = await this.#connection.send('TIME', [])
    if (!Array.isArray(time)) throw storeError(this.name, 'the store did not tell its time')
    this.#serverClock.observe(sentUs, Number(time[0]) * 1e6 + Number(time[1]))
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  #nextCall(): string {
    return `${this.#mark}${(this.#calls++).toString(36)}`
  }
}
