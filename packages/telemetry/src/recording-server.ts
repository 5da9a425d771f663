import type { RedisClient } from '@sluice/core'
import { inRedis } from '@sluice/core/internal'

export interface RecordingServerOptions {
  readonly redis: RedisClient
  readonly prefix: string
  readonly deadlineMs: number
}

/**
 * A Redis server on a separate connection: on a shared one, hundreds of commands at once would delay requests. Every failure
 * is a StoreError.
 */
export class RecordingServer {
  readonly deadlineMs: number
  readonly #prefix: string
  readonly #connection: inRedis.BoundedConnection

  constructor({ redis, prefix, deadlineMs }: RecordingServerOptions) {
    this.deadlineMs = deadlineMs
    this.#prefix = prefix + inRedis.firstFormat
    this.#connection = new inRedis.BoundedConnection(inRedis.readClient(redis).connectAgain(), deadlineMs)
  }

  key(name: string): string {
    return this.#prefix + name
  }

  /** Sends a command to the server that holds the key. */
  send(command: string, args: readonly inRedis.Argument[], key: string): Promise<unknown> {
    return this.#connection.send(command, args, key)
  }

  /** Runs a script on the server that holds its only key. */
  run(script: inRedis.Script, key: string, args: readonly inRedis.Argument[]): Promise<unknown> {
    return this.#connection.run(script, [key], args)
  }

  /** The replies of all masters of a cluster. */
  sendToAll(command: string, args: readonly inRedis.Argument[]): Promise<readonly unknown[]> {
    return this.#connection.sendToAll(command, args)
  }

  /** On a cluster, always the same server's time: all recorders there use its clock. */
  async nowMs(): Promise<number> {
    return inRedis.timeOf(await this.send('TIME', [], this.key('clock'))) / 1000
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}
