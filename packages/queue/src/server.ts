import { durationUs, encodeText, inRedis, msUp, realClock } from '@sluice/core/internal'

import type { QueueOptions } from './queue.ts'

/** The deadline of processors: long, but bounded because the other end of a connection may be gone. */
const processorMs = 2000
/** A blocking read ends after this time, and times out a second later. */
const blockMs = 1000

type Reply = readonly unknown[]

/** A queue's keys and its calls, each with a deadline. Every failure is a StoreError. */
export class QueueServer {
  readonly #prefix: string
  readonly #connectAgain: (more?: { readonly socketTimeout: undefined }) => inRedis.Connection
  readonly #timed: inRedis.ServerDeadlines
  readonly #timedForProcessors: inRedis.ServerDeadlines
  readonly #forCallers: inRedis.BoundedConnection
  readonly #forProcessors: inRedis.BoundedConnection

  constructor({ redis, name, deadline = '100ms' }: Pick<QueueOptions, 'redis' | 'name' | 'deadline'>) {
    const deadlineUs = durationUs(deadline, 'deadline')
    const { connect, connectAgain } = inRedis.readClient(redis)
    this.#prefix = `${inRedis.firstFormat}{queue:${encodeText(name)}}:`
    const connection = connect()
    this.#connectAgain = connectAgain
    const timed = (deadlineUs: number) =>
      new inRedis.ServerDeadlines(connection, { clock: realClock, deadlineUs })
    this.#timed = timed(deadlineUs)
    this.#timedForProcessors = timed(processorMs * 1000)
    this.#forCallers = new inRedis.BoundedConnection(connection, msUp(deadlineUs))
    this.#forProcessors = new inRedis.BoundedConnection(connection, processorMs)
  }

  /** All of a queue's keys lie in one slot. */
  key(name: string): string {
    return this.#prefix + name
  }

  keys(...names: readonly string[]): readonly string[] {
    return names.map((name) => this.key(name))
  }

  /** Runs a script for a caller that waits, within the queue's deadline. */
  async call(
    script: inRedis.Script,
    keys: readonly string[],
    args: readonly inRedis.Argument[],
  ): Promise<Reply> {
    return inRedis.listOf(await this.#forCallers.run(script, keys, args))
  }

  /**
   * As `call`, for a script whose first argument is the time after which it does nothing: when a server that hung runs it, its caller
   * has already been answered.
   */
  callInTime(
    script: inRedis.Script,
    keys: readonly string[],
    args: readonly inRedis.Argument[],
  ): Promise<Reply> {
    return this.#forCallers.bound(() => runInTime(this.#timed, script, keys, args))
  }

  /** Runs a script for a processor, within its longer deadline. */
  ask(script: inRedis.Script, keys: readonly string[], args: readonly inRedis.Argument[]): Promise<unknown> {
    return this.#forProcessors.run(script, keys, args)
  }

  /** As `ask`, for a script as `callInTime` runs it: its reply begins with the time. */
  askInTime(
    script: inRedis.Script,
    keys: readonly string[],
    args: readonly inRedis.Argument[],
  ): Promise<Reply> {
    return this.#forProcessors.bound(() => runInTime(this.#timedForProcessors, script, keys, args))
  }

  /** A separate connection for blocking reads, which would stall a shared one. */
  reader(): BlockingReader {
    const connect = () => this.#connectAgain({ socketTimeout: undefined })
    return new BlockingReader(() => new inRedis.BoundedConnection(connect(), processorMs))
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
  readonly #connect: () => inRedis.BoundedConnection
  #connection: inRedis.BoundedConnection | undefined

  constructor(connect: () => inRedis.BoundedConnection) {
    this.#connect = connect
  }

  /** The longest that a command may block. */
  readonly blockMs: number = blockMs

  async send(command: string, args: readonly inRedis.Argument[], key: string): Promise<unknown> {
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

function runInTime(
  timed: inRedis.ServerDeadlines,
  script: inRedis.Script,
  keys: readonly string[],
  args: readonly inRedis.Argument[],
): Promise<Reply> {
  const call = { script, keys, args: [0, ...args], read: asItIs }
  return timed.run(call, { askedUs: realClock.nowUs() })
}

function asItIs(reply: Reply): Reply {
  return reply
}
