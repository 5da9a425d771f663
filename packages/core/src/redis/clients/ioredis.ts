import type { Argument, Connection } from '../connection.ts'
import type { IoredisLike } from '../known-client.ts'
import type { Script } from '../script.ts'
import { type ClusterClient, IoredisClusterConnection } from './ioredis-cluster.ts'
import { IoredisLife, type ServerClient } from './ioredis-life.ts'
import { type CallOf, runOnIoredis } from './ioredis-script.ts'

/** Over an ioredis client of one server. */
export class IoredisConnection implements Connection {
  readonly #life: IoredisLife<ServerClient>

  constructor(client: ServerClient | Promise<ServerClient>) {
    this.#life = new IoredisLife(client)
  }

  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const client = this.#life.ready
    if (client !== undefined) return runOnIoredis(client, script, { keys, args })
    return this.#runLater(script, { keys, args })
  }

  async #runLater(script: Script, call: CallOf): Promise<unknown> {
    return runOnIoredis(await this.#life.connected(), script, call)
  }

  async send(command: string, args: readonly Argument[]): Promise<unknown> {
    return (await this.#life.connected()).call(command, ...args)
  }

  whenLost(lost: () => void): void {
    this.#life.whenLost(lost)
  }

  async close(): Promise<void> {
    this.#life.close()
  }
}

// isIoredis was asked of both; the rest every ioredis client has.

export function overIoredis(client: IoredisLike): Connection {
  return new IoredisConnection(client as IoredisLike & ServerClient)
}

export function overIoredisCluster(client: IoredisLike): Connection {
  return new IoredisClusterConnection(client as IoredisLike & ClusterClient)
}
