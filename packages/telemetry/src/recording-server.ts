import type { RedisClient } from '@sluice/core'
import { type Argument, BoundedConnection, readClient, type Script, timeOf } from '@sluice/core/internal'

/** Only the recording that comes next waits for it. */
const deadlineMs = 2000

/**
 * A server on a connection of its own: hundreds of commands at once would keep requests waiting on a shared one. Whatever goes wrong
 * is a StoreError.
 */
export class RecordingServer {
  readonly #prefix: string
  readonly #connection: BoundedConnection

  constructor(redis: RedisClient, prefix: string) {
    this.#prefix = `${prefix}sl1:`
    this.#connection = new BoundedConnection(readClient(redis).connectAgain(), deadlineMs)
  }

  key(name: string): string {
    return this.#prefix + name
  }

  /** To the server that holds the key. */
  send(command: string, args: readonly Argument[], key: string): Promise<unknown> {
    return this.#connection.send(command, args, key)
  }

  /** On the server that holds the key, which is the script's only one. */
  run(script: Script, key: string, args: readonly Argument[]): Promise<unknown> {
    return this.#connection.run(script, [key], args)
  }

  /** Of a cluster the answers of all masters. */
  sendToAll(command: string, args: readonly Argument[]): Promise<readonly unknown[]> {
    return this.#connection.sendToAll(command, args)
  }

  /** Of a cluster always the same server's: all that record there go by its clock. */
  async nowMs(): Promise<number> {
    return timeOf(await this.send('TIME', [], this.key('clock'))) / 1000
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}
