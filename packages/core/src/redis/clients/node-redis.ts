import { storeError } from '../../errors.ts'
import { ClientEvents, type NodeRedisEvents } from '../client-events.ts'
import { isNodeRedisCluster, type NodeRedisLike } from '../client-kinds.ts'
import { type Argument, type Connection, LoadedCluster, type Script } from '../connection.ts'
import { type NodeRedisCluster, NodeRedisClusterConnection } from './node-redis-cluster.ts'
import { asTexts, type ReplyForm, type ScriptClient, ScriptRunner } from './node-redis-script.ts'

/** What is used of a client beyond the type `NodeRedisLike`. */
interface NodeRedisServer extends ScriptClient {
  readonly isOpen: boolean
  readonly isReady: boolean
  sendCommand(words: readonly string[], options: ReplyForm): Promise<unknown>
}

/** A connection over a node-redis client of one server, which its owner connects. Calls wait for the outcome while it connects. */
class NodeRedisConnection implements Connection {
  readonly #client: NodeRedisServer
  readonly #scripts: ScriptRunner<NodeRedisServer>
  readonly #events: ClientEvents
  #attempt: Promise<void> | undefined
  #attemptEnded: (() => void) | undefined
  #lost: (() => void) | undefined

  constructor(client: NodeRedisServer, events: ClientEvents) {
    this.#scripts = new ScriptRunner(client)
    this.#client = this.#scripts.client
    this.#events = events
    events.heard = (isAway) => this.#changed(isAway)
  }

  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    if (!this.#client.isReady) await this.#connected()
    return this.#scripts.run(script, { keys, args })
  }

  async send(command: string, args: readonly Argument[]): Promise<unknown> {
    if (!this.#client.isReady) await this.#connected()
    return this.#client.sendCommand([command, ...args.map(String)], asTexts)
  }

  whenLost(lost: () => void): void {
    this.#lost = lost
  }

  /** Removes our listeners, which the client would keep as long as it lives; its owner closes it. */
  async close(): Promise<void> {
    this.#events.stop()
  }

  /** Waits while the client connects. Throws a StoreError while it is away, as a command would wait in a queue. */
  async #connected(): Promise<void> {
    if (this.#client.isOpen && this.#events.isAway !== true) {
      this.#attempt ??= new Promise((resolve) => {
        this.#attemptEnded = resolve
      })
      await this.#attempt
    }
    if (this.#client.isReady) return
    throw storeError('redis', this.#client.isOpen ? 'not connected' : 'not connected: the client is not open')
  }

  #changed(isAway: boolean): void {
    this.#scripts.forget()
    if (isAway) this.#lost?.()
    this.#attemptEnded?.()
    this.#attempt = undefined
  }
}

// isNodeRedis was asked of both; the rest every node-redis client has.

export function overNodeRedis(client: NodeRedisLike, events: ClientEvents): Connection {
  return new NodeRedisConnection(client as NodeRedisLike & NodeRedisServer, events)
}

export function overNodeRedisCluster(client: NodeRedisLike): Connection {
  return new NodeRedisClusterConnection(client as NodeRedisLike & NodeRedisCluster)
}

/** What is used of a caller's own client to make another like it. */
interface DuplicableNodeRedis {
  duplicate(): NodeRedisLike & NodeRedisEvents & { connect(): Promise<unknown>; destroy(): void }
}

type OpenedClient = ReturnType<DuplicableNodeRedis['duplicate']>

/** Opens a client. One of a cluster gives up if no server is there, so it is asked again; one of a single server goes on by itself. */
async function open(client: OpenedClient, about: { readonly closed: boolean }): Promise<void> {
  await client.connect().catch(() => {
    const again = () => {
      if (!about.closed) void open(client, about)
    }
    // A runtime whose timers are numbers has no such method.
    setTimeout(again, 1000).unref?.()
  })
}

/** A connection over a client made here, which is opened at once and closed with the connection. */
class OpenedConnection extends LoadedCluster {
  readonly #client: OpenedClient
  readonly #about: { closed: boolean }

  constructor(client: OpenedClient) {
    // Without a listener a client's error ends the process.
    client.on('error', () => {})
    const connection = isNodeRedisCluster(client)
      ? overNodeRedisCluster(client)
      : overNodeRedis(client, new ClientEvents(client))
    const about = { closed: false }
    super(async () => {
      const opened = open(client, about)
      // A client of one server tells while it opens whether the server is away.
      if (isNodeRedisCluster(client)) await opened
      return connection
    })
    this.#client = client
    this.#about = about
  }

  /** Closes also a client that is still being opened. */
  override async close(): Promise<void> {
    this.#about.closed = true
    this.#client.destroy()
    // Not awaited, as a cluster that is never there is never loaded.
    void super.close()
  }
}

/** A connection over a client of our own that reaches what a caller's does. */
export function likeNodeRedis(client: NodeRedisLike): Connection {
  const original = client as NodeRedisLike & DuplicableNodeRedis // every node-redis client has it
  return new OpenedConnection(original.duplicate())
}
