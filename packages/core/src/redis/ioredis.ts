import type { Warning } from '../store.ts'
import { warningsOfIoredis } from './client-settings.ts'
import type { Argument, Connection } from './connection.ts'
import { type ClusterClient, IoredisClusterConnection } from './ioredis-cluster.ts'
import { IoredisLife, type ServerClient } from './ioredis-life.ts'
import { type CallOf, runOnIoredis } from './ioredis-script.ts'
import { missing, ofIoredis } from './not-a-client.ts'
import type { Script } from './script.ts'

/** An ioredis client, 5 or 6, of one server or a cluster: structural, so that no type of a peer is imported. */
export interface IoredisLike {
  evalsha(...args: never[]): Promise<unknown>
  readonly status: string
}

export function isIoredis(value: unknown): value is IoredisLike {
  return (
    typeof value === 'object' &&
    value !== null &&
    missing(value, ofIoredis).length === 0 &&
    'status' in value &&
    typeof value.status === 'string'
  )
}

/** Over an ioredis client of one server. */
export class IoredisConnection implements Connection {
  readonly warnings: readonly Warning[]
  readonly #life: IoredisLife<ServerClient>

  constructor(client: ServerClient | Promise<ServerClient>) {
    this.#life = new IoredisLife(client)
    this.warnings = client instanceof Promise ? [] : warningsOfIoredis(client)
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

  willConnect(asked: boolean): boolean {
    return this.#life.willConnect(asked)
  }

  whenLost(lost: () => void): void {
    this.#life.whenLost(lost)
  }

  async close(): Promise<void> {
    this.#life.close()
  }
}

export function isCluster(client: IoredisLike): boolean {
  return 'isCluster' in client && client.isCluster === true
}

/** Over a caller's own client, of one server or a cluster; never closed here. */
export function fromIoredis(client: IoredisLike): Connection {
  // isIoredis was asked; the rest every ioredis client has.
  if (isCluster(client)) return new IoredisClusterConnection(client as IoredisLike & ClusterClient)
  return new IoredisConnection(client as IoredisLike & ServerClient)
}
