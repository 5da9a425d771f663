import {
  type Argument,
  type Connection,
  Deadlines,
  durationUs,
  encodeText,
  integerOf,
  listOf,
  monotonicClock,
  msUp,
  readClient,
  type Script,
  ServerClock,
  storeError,
  timeOf,
  withoutKeys,
} from '@sluice/core/internal'

import type { QueueOptions } from './queue.ts'

const store = 'redis'
/** Processors are in no hurry, but a connection may be one whose other end is gone. */
const processorMs = 2000
/** A blocking read is told to end after so long, and given up a second later. */
const blockMs = 1000

type Reply = readonly unknown[]

/** A queue's keys and its calls, each bounded in time. Whatever goes wrong is a StoreError. */
export class QueueServer {
  readonly #prefix: string
  readonly #connection: Connection
  readonly #connectAgain: () => Connection
  readonly #clock = new ServerClock()
  readonly #deadlineUs: number
  readonly #forCallers: Deadlines
  readonly #forProcessors = new Deadlines(store, processorMs)

  constructor({ redis, name, deadline = '100ms' }: Pick<QueueOptions, 'redis' | 'name' | 'deadline'>) {
    this.#deadlineUs = durationUs(deadline, 'deadline')
    this.#forCallers = new Deadlines(store, msUp(this.#deadlineUs))
    const { connect, connectAgain } = readClient(redis)
    this.#prefix = `sl1:{queue:${encodeText(name)}}:`
    this.#connection = connect()
    this.#connectAgain = connectAgain
  }

  /** All of a queue's keys lie in one slot. */
  key(name: string): string {
    return this.#prefix + name
  }

  /** For a caller who waits. */
  call(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    return bounded(this.#forCallers, () => this.#run(script, keys, args))
  }

  /**
   * As `call`, of a script that begins with the instant after which it does nothing: what a server that hung finds later was
   * answered long before.
   */
  callInTime(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    return bounded(this.#forCallers, () => this.#runInTime(script, keys, args))
  }

  /** For a processor. */
  ask(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return bounded(this.#forProcessors, () => this.#connection.run(script, keys, args))
  }

  /** A connection for blocking reads alone: on a shared one they would stall everything. */
  reader(): BlockingReader {
    return new BlockingReader(this.#connectAgain, this.#forProcessors)
  }

  async ready(): Promise<void> {
    await bounded(this.#forProcessors, () => this.#askTime()).catch(() => {})
  }

  async close(): Promise<void> {
    await this.#connection.close()
    this.#forCallers.stop()
    this.#forProcessors.stop()
  }

  async #run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    return listOf(await this.#connection.run(script, keys, args))
  }

  async #runInTime(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    const untilUs = monotonicClock.nowUs() + this.#deadlineUs
    // Until the server's clock is known a late script could not be told that it is late.
    if (!this.#clock.known) await this.#askTime()
    for (;;) {
      const sentUs = monotonicClock.nowUs()
      if (sentUs > untilUs) throw storeError(store, 'the store answered too late')
      const reply = await this.#run(script, keys, [Math.floor(this.#clock.at(untilUs)), ...args])
      const serverUs = integerOf(reply[0])
      if (reply.length > 1) {
        this.#clock.observe(sentUs, serverUs)
        return reply
      }
      // Answered as too late, in time: the server's clock has moved, and the call took nothing.
      this.#clock.restart(sentUs, serverUs)
    }
  }

  async #askTime(): Promise<void> {
    const sentUs = monotonicClock.nowUs()
    const time = await this.#connection.send('TIME', [], this.key('e'))
    this.#clock.observe(sentUs, timeOf(time))
  }
}

/** Sends blocking commands, on a connection that is made when it is first wanted, and made anew after a failure. */
export class BlockingReader {
  readonly #connect: () => Connection
  readonly #deadlines: Deadlines
  #connection: Connection | undefined

  constructor(connect: () => Connection, deadlines: Deadlines) {
    this.#connect = connect
    this.#deadlines = deadlines
  }

  /** The command is to block for no longer than this. */
  readonly blockMs: number = blockMs

  async send(command: string, args: readonly Argument[], key: string): Promise<unknown> {
    this.#connection ??= this.#connect()
    const connection = this.#connection
    try {
      return await bounded(this.#deadlines, () => connection.send(command, args, key))
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

async function bounded<T>(deadlines: Deadlines, work: () => Promise<T>): Promise<T> {
  try {
    return await deadlines.bound(work())
  } catch (error) {
    throw withoutKeys(error)
  }
}
