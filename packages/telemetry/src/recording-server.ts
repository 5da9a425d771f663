import type { RedisClient } from '@sluice/core'
import {
  type Argument,
  type Connection,
  Deadlines,
  readClient,
  type Script,
  timeOf,
  withoutKeys,
} from '@sluice/core/internal'

const store = 'redis'
/** Nobody waits for it but what is recorded next. */
const deadlineMs = 2000

/**
 * A server on a connection of its own: hundreds of commands at once would keep requests waiting on a shared one. Whatever goes wrong
 * is a StoreError.
 */
export class RecordingServer {
  readonly #prefix: string
  readonly #connection: Connection
  readonly #deadlines = new Deadlines(store, deadlineMs)

  constructor(redis: RedisClient, prefix: string) {
    this.#prefix = `${prefix}sl1:`
    this.#connection = readClient(redis).connectAgain()
  }

  key(name: string): string {
    return this.#prefix + name
  }

  /** To the server that holds the key. */
  async send(command: string, args: readonly Argument[], key: string): Promise<unknown> {
    return this.#bounded(this.#connection.send(command, args, key))
  }

  /** On the server that holds the key, which is the script's only one. */
  async run(script: Script, key: string, args: readonly Argument[]): Promise<unknown> {
    return this.#bounded(this.#connection.run(script, [key], args))
  }

  /** Of a cluster the answers of all masters. */
  async sendToAll(command: string, args: readonly Argument[]): Promise<readonly unknown[]> {
    const all = this.#connection.sendToAll?.(command, args)
    return all === undefined ? [await this.send(command, args, '')] : this.#bounded(all)
  }

  /** Of a cluster always the same server's: all that record there go by its clock. */
  async nowMs(): Promise<number> {
    return timeOf(await this.send('TIME', [], this.key('clock'))) / 1000
  }

  async close(): Promise<void> {
    await this.#connection.close()
    this.#deadlines.stop()
  }

  async #bounded<T>(answer: Promise<T>): Promise<T> {
    try {
      return await this.#deadlines.bound(answer)
    } catch (error) {
      throw withoutKeys(error)
    }
  }
}
