import type { RedisClient } from '@sluice/core'
import {
  type Argument,
  BoundedConnection,
  firstFormat,
  readClient,
  type Script,
  timeOf,
} from '@sluice/core/internal'

/** The deadline; only the next recording waits for it. */
const deadlineMs = 2000

/**
 * A server on a separate connection: on a shared one, hundreds of commands at once would delay requests. Every failure
 * is a StoreError.
 */
export class RecordingServer {
  readonly #prefix: string
  readonly #connection: BoundedConnection

  constructor(redis: RedisClient, prefix: string) {
    this.#prefix = prefix + firstFormat
    this.#connection = new BoundedConnection(readClient(redis).connectAgain(), deadlineMs)
  }

  key(name: string): string {
    return this.#prefix + name
  }

  /** Sends a command to the server that holds the key. */
  send(command: string, args: readonly Argument[], key: string): Promise<unknown> {
    return this.#connection.send(command, args, key)
  }

  /** Runs a script on the server that holds its only key. */
  run(script: Script, key: string, args: readonly Argument[]): Promise<unknown> {
    return this.#connection.run(script, [key], args)
  }

  /** The replies of all masters of a cluster. */
  sendToAll(command: string, args: readonly Argument[]): Promise<readonly unknown[]> {
    return this.#connection.sendToAll(command, args)
  }

  /** On a cluster, always the same server's time: all recorders there use its clock. */
  async nowMs(): Promise<number> {
    return timeOf(await this.send('TIME', [], this.key('clock'))) / 1000
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}
