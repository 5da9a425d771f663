import { storeError } from '../errors.ts'
import type { Warning } from '../store.ts'
import { warningsOfNodeRedis } from './client-settings.ts'
import type { Argument, Connection } from './connection.ts'
import { type NodeRedisCluster, NodeRedisClusterConnection } from './node-redis-cluster.ts'
import { asTexts, type ScriptClient, ScriptRunner } from './node-redis-script.ts'
import { missing, ofNodeRedis } from './not-a-client.ts'
import type { Script } from './script.ts'

/** A node-redis client (the package `redis`, 5 or 6), of one server or a cluster: structural, so that no type of a peer is imported. */
export interface NodeRedisLike {
  evalSha(...args: never[]): Promise<unknown>
  sendCommand(...args: never[]): Promise<unknown>
}

/** What is used of a client beyond its public face here. */
interface NodeRedisServer extends ScriptClient {
  readonly isOpen: boolean
  readonly isReady: boolean
  sendCommand(words: readonly string[], options: typeof asTexts): Promise<unknown>
  on(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
}

const events = ['ready', 'error', 'end'] as const

/** A pool and a client of Sentinel are others. */
export function isNodeRedis(value: unknown): value is NodeRedisLike {
  return (
    typeof value === 'object' &&
    value !== null &&
    missing(value, ofNodeRedis).length === 0 &&
    'isOpen' in value &&
    typeof value.isOpen === 'boolean' &&
    (isCluster(value) || ('select' in value && 'isReady' in value))
  )
}

function isCluster(value: object): boolean {
  return 'nodeClient' in value && 'slots' in value
}

/** Over a node-redis client of one server, which its owner connects. What is asked while it connects waits for the outcome. */
class NodeRedisConnection implements Connection {
  readonly warnings: readonly Warning[]
  readonly #client: NodeRedisServer
  readonly #scripts: ScriptRunner<NodeRedisServer>
  #attempt: Promise<void> | undefined
  #attemptEnded: (() => void) | undefined
  /** An attempt to connect has failed, and none has gone well since. */
  #away = false
  #lost: (() => void) | undefined
  readonly #stopListening: () => void

  constructor(client: NodeRedisServer) {
    this.warnings = warningsOfNodeRedis(client)
    this.#scripts = new ScriptRunner(client)
    this.#client = this.#scripts.client
    const listeners = events.map((event) => [event, () => this.#changed(event)] as const)
    for (const [event, listener] of listeners) client.on(event, listener)
    this.#stopListening = () => {
      for (const [event, listener] of listeners) client.off(event, listener)
    }
  }

  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    if (!this.#client.isReady) await this.#connected()
    return this.#scripts.run(script, keys, args)
  }

  async send(command: string, args: readonly Argument[]): Promise<unknown> {
    if (!this.#client.isReady) await this.#connected()
    return this.#client.sendCommand([command, ...args.map(String)], asTexts)
  }

  willConnect(): boolean {
    return this.#client.isOpen
  }

  whenLost(lost: () => void): void {
    this.#lost = lost
  }

  /** The client is its owner's, and would keep what listens to it as long as it lives. */
  async close(): Promise<void> {
    this.#stopListening()
    this.#changed('end')
  }

  /** A command for a server that is away would wait in a queue. */
  async #connected(): Promise<void> {
    if (this.#client.isOpen && !this.#away) {
      this.#attempt ??= new Promise((resolve) => {
        this.#attemptEnded = resolve
      })
      await this.#attempt
    }
    if (this.#client.isReady) return
    throw storeError(
      'redis',
      this.#client.isOpen ? 'not connected' : 'not connected: nobody has opened the client',
    )
  }

  #changed(event: string): void {
    this.#away = event !== 'ready'
    if (this.#away) this.#lost?.()
    this.#attemptEnded?.()
    this.#attempt = undefined
  }
}

/** Over a caller's own client, of one server or a cluster; never closed here. */
export function fromNodeRedis(client: NodeRedisLike): Connection {
  // isNodeRedis was asked; the rest every node-redis client has.
  if (isCluster(client)) return new NodeRedisClusterConnection(client as NodeRedisLike & NodeRedisCluster)
  return new NodeRedisConnection(client as NodeRedisLike & NodeRedisServer)
}
