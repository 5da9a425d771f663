import { Deadlines } from '../waiting/deadlines.ts'
import { withoutKeys } from './client-errors.ts'
import { type Argument, type Connection, type Script, sendToAll } from './connection.ts'

/** A connection that answers within a time or rejects with a StoreError, which names no key. */
export class BoundedConnection {
  readonly #connection: Connection
  readonly #deadlines: Deadlines

  constructor(connection: Connection, ms: number) {
    this.#connection = connection
    this.#deadlines = new Deadlines('redis', ms)
  }

  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.bound(() => this.#connection.run(script, keys, args))
  }

  /** Sends a command to the server that holds `key`. */
  send(command: string, args: readonly Argument[], key: string): Promise<unknown> {
    return this.bound(() => this.#connection.send(command, args, key))
  }

  /** Sends a command to every master of a cluster. */
  sendToAll(command: string, args: readonly Argument[]): Promise<readonly unknown[]> {
    return this.bound(() => sendToAll(this.#connection, command, args))
  }

  /** Bounds other work on this connection in the same way. */
  async bound<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#deadlines.bound(work())
    } catch (error) {
      throw withoutKeys(error)
    }
  }

  /** No timer keeps the process from now on; the connection stays open. */
  stop(): void {
    this.#deadlines.stop()
  }

  async close(): Promise<void> {
    await this.#connection.close()
    this.stop()
  }
}
