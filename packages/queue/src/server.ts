import {
  type Argument,
  BoundedConnection,
  type Connection,
  durationUs,
  encodeText,
  firstFormat,
  listOf,
  msUp,
  readClient,
  realClock,
  type Script,
  TimedCalls,
} from '@sluice/core/internal'

import type { QueueOptions } from './queue.ts'

/** The deadline of processors: long, but bounded because the other end of a connection may be gone. */
const processorMs = 2000
/** A blocking read ends after this time, and times out a second later. */
const blockMs = 1000

type Reply = readonly unknown[]

/** A queue's keys and its calls, each with a deadline. Every failure is a StoreError. */
export class QueueServer {
  readonly #prefix: string
  readonly #connectAgain: () => Connection
  readonly #timed: TimedCalls
  readonly #forCallers: BoundedConnection
  readonly #forProcessors: BoundedConnection

  constructor({ redis, name, deadline = '100ms' }: Pick<QueueOptions, 'redis' | 'name' | 'deadline'>) {
    const deadlineUs = durationUs(deadline, 'deadline')
    const { connect, connectAgain } = readClient(redis)
    this.#prefix = `${firstFormat}{queue:${encodeText(name)}}:`
    const connection = connect()
    this.#connectAgain = connectAgain
    this.#timed = new TimedCalls(connection, { clock: realClock, deadlineUs })
    this.#forCallers = new BoundedConnection(connection, msUp(deadlineUs))
    this.#forProcessors = new BoundedConnection(connection, processorMs)
  }

  /** All of a queue's keys lie in one slot. */
  key(name: string): string {
    return this.#prefix + name
  }

  keys(...names: readonly string[]): readonly string[] {
    return names.map((name) => this.key(name))
  }

  /** For a caller that waits. */
  async call(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    return listOf(await this.#forCallers.run(script, keys, args))
  }

  /**
   * As `call`, for a script whose first argument is the time after which it does nothing: when a server that hung runs it, its caller
   * has already been answered.
   */
  callInTime(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    const call = { script, keys, args: [0, ...args], read: asItIs }
    return this.#forCallers.bound(() => this.#timed.run(call, { askedUs: realClock.nowUs() }))
  }

  /** For a processor. */
  ask(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.#forProcessors.run(script, keys, args)
  }

  /** A separate connection for blocking reads, which would stall a shared one. */
  reader(): BlockingReader {
    return new BlockingReader(() => new BoundedConnection(this.#connectAgain(), processorMs))
  }

  async ready(): Promise<void> {
    await this.#forProcessors.bound(() => this.#timed.askTime(this.key('e'))).catch(() => {})
  }

  async close(): Promise<void> {
    await this.#forProcessors.close()
    this.#forCallers.stop()
  }
}

/** Sends blocking commands, on a connection that is created when first needed, and again after a failure. */
export class BlockingReader {
  readonly #connect: () => BoundedConnection
  #connection: BoundedConnection | undefined

  constructor(connect: () => BoundedConnection) {
    this.#connect = connect
  }

  /** The longest that a command may block. */
  readonly blockMs: number = blockMs

  async send(command: string, args: readonly Argument[], key: string): Promise<unknown> {
    this.#connection ??= this.#connect()
    try {
      return await this.#connection.send(command, args, key)
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async close(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    await connection?.close()
  }
}

function asItIs(reply: Reply): Reply {
  return reply
}
