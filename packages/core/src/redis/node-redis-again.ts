import type { Argument, Connection } from './connection.ts'
import { fromNodeRedis, type NodeRedisLike } from './node-redis.ts'
import type { Script } from './script.ts'

/** What is used of a caller's own client to make another like it. */
interface DuplicableNodeRedis {
  duplicate(): NodeRedisLike & {
    connect(): Promise<unknown>
    destroy(): void
    on(event: 'error', listener: () => void): unknown
  }
}

/** Over a client made here, which is opened at once and closed with the connection. */
class OpenedConnection implements Connection {
  readonly #client: ReturnType<DuplicableNodeRedis['duplicate']>
  readonly #connection: Connection
  readonly #opened: Promise<unknown>

  constructor({ duplicate }: DuplicableNodeRedis) {
    this.#client = duplicate()
    // Without a listener a client's error ends the process.
    this.#client.on('error', () => {})
    this.#connection = fromNodeRedis(this.#client)
    this.#opened = this.#client.connect()
    // The caller gets the error.
    this.#opened.catch(() => {})
  }

  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    await this.#opened
    return this.#connection.run(script, keys, args)
  }

  async send(command: string, args: readonly Argument[], key?: string): Promise<unknown> {
    await this.#opened
    return this.#connection.send(command, args, key)
  }

  async sendToAll(command: string, args: readonly Argument[]): Promise<readonly unknown[]> {
    await this.#opened
    return this.#connection.sendToAll?.(command, args) ?? [await this.#connection.send(command, args)]
  }

  async close(): Promise<void> {
    this.#client.destroy()
  }
}

/** Over a client of our own that reaches what a caller's does. */
export function likeNodeRedis(client: NodeRedisLike): Connection {
  const original = client as NodeRedisLike & DuplicableNodeRedis // every node-redis client has it
  return new OpenedConnection({ duplicate: () => original.duplicate() })
}
