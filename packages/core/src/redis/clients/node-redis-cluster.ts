import { storeError } from '../../errors.ts'
import { redirectionOf } from '../client-errors.ts'
import { type Argument, type Connection, type Script, scriptCommand } from '../connection.ts'
import { slotOf } from '../slot.ts'
import {
  type NodeClient,
  type NodeRedisClusterNode,
  NodeRedisNewcomers,
  newcomerIn,
} from './node-redis-newcomers.ts'
import { asBytes, asTexts, type ReplyForm, type ScriptClient, ScriptRunner } from './node-redis-script.ts'

/** What is used of a cluster's client beyond the type `NodeRedisLike`. */
export interface NodeRedisCluster extends ScriptClient {
  readonly isOpen: boolean
  readonly slots: readonly ({ readonly master: NodeRedisClusterNode } | undefined)[]
  readonly masters: readonly NodeRedisClusterNode[]
  nodeClient(node: NodeRedisClusterNode): Promise<NodeClient>
  once(event: 'connect', listener: () => void): unknown
  /** Sends to the server that holds the key, also where the key has moved. */
  sendCommand(
    key: string,
    isReadOnly: boolean,
    words: readonly string[],
    options: ReplyForm,
  ): Promise<unknown>
  /** Refreshes the slot map. Not public, so it is used only where it exists. */
  readonly _slots?: { rediscover?(startWith: NodeClient): Promise<void> }
}

/** Refreshing the slot map takes a connection: at most one refresh in this time. */
const lookEveryMs = 100

/**
 * A connection over a node-redis cluster client, which follows redirections by itself. The client does not look for a new master before
 * it has tried for seconds to reach the old one, so that is done here.
 */
export class NodeRedisClusterConnection implements Connection {
  readonly #client: NodeRedisCluster
  readonly #scripts: ScriptRunner<NodeRedisCluster>
  readonly #newcomers: NodeRedisNewcomers
  #lookedAt = Number.NEGATIVE_INFINITY
  #turn = 0

  constructor(client: NodeRedisCluster) {
    this.#scripts = new ScriptRunner(client)
    this.#client = this.#scripts.client
    this.#newcomers = new NodeRedisNewcomers(this.#client)
  }

  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const { address } = this.#holder(keys[0] ?? '')
    return this.#scripts.run(script, { keys, args }, address).catch((error: unknown) => {
      const options = script.bytes ? asBytes : asTexts
      return this.#askNewcomer(error, scriptCommand(script, { keys, args }, 'text'), options)
    })
  }

  async send(command: string, args: readonly Argument[], key?: string): Promise<unknown> {
    const words = [command, ...args.map(String)]
    if (key === undefined) return this.#sendToAny(words)
    try {
      return await sendAt(this.#client, this.#holder(key), words)
    } catch (error) {
      if (redirectionOf(error) === undefined) throw error
      // Nothing was run. The client is asked only now, as it sends a command that names no key to any server.
      return this.#client
        .sendCommand(key, false, words, asTexts)
        .catch((error: unknown) => this.#askNewcomer(error, words, asTexts))
    }
  }

  /** Sends a call to a server to which the client was redirected and which it does not find. Nothing was run. */
  async #askNewcomer(error: unknown, words: readonly string[], options: ReplyForm): Promise<unknown> {
    const address = newcomerIn(error)
    if (address === undefined) throw error
    return this.#newcomers.ask(address, words, options)
  }

  /** Waits while the client still looks for the cluster. */
  async #sendToAny(words: readonly string[]): Promise<unknown> {
    const client = this.#client
    if (client.isOpen && client.masters.length === 0)
      await new Promise<void>((resolve) => client.once('connect', resolve))
    return sendAt(client, this.#any(), words)
  }

  async sendToAll(command: string, args: readonly Argument[]): Promise<readonly unknown[]> {
    const { masters } = this.#client
    if (masters.length === 0 || !masters.every(usable)) {
      this.#look()
      throw storeError('redis', 'a server of the cluster is not connected')
    }
    const words = [command, ...args.map(String)]
    return Promise.all(masters.map((node) => sendAt(this.#client, node, words)))
  }

  nodeOf(key: string): string {
    return this.#client.slots[slotOf(key)]?.master.address ?? ''
  }

  nodeNames(): readonly string[] {
    return this.#client.masters.map(({ address }) => address)
  }

  /** Closes only connections made here: the owner closes the client. */
  async close(): Promise<void> {
    this.#newcomers.close()
  }

  /** The server that holds the key. Throws a StoreError while it is away, as a command for it would wait in a queue. */
  #holder(key: string): NodeRedisClusterNode {
    const node = this.#client.slots[slotOf(key)]?.master
    if (node !== undefined && usable(node)) return node
    this.#scripts.forget()
    this.#look()
    throw storeError('redis', 'the server that holds the key is not connected')
  }

  /** Round-robins over masters. Also refreshes the slot map: the caller may be here because a master failed. */
  #any(): NodeRedisClusterNode {
    this.#look()
    const masters = this.#client.masters.filter(usable)
    const node = masters[this.#turn++ % masters.length]
    if (node === undefined) throw storeError('redis', 'no server of the cluster is connected')
    return node
  }

  #look(): void {
    const now = performance.now()
    const start = this.#client.masters.find(({ client }) => client?.isReady)?.client
    if (start === undefined || now - this.#lookedAt < lookEveryMs) return
    this.#lookedAt = now
    this.#client._slots?.rediscover?.(start).catch(() => {})
  }
}

async function sendAt(
  client: NodeRedisCluster,
  node: NodeRedisClusterNode,
  words: readonly string[],
): Promise<unknown> {
  return (await client.nodeClient(node)).sendCommand(words, asTexts)
}

/** Whether the server is connected, or connects when it is first wanted. */
function usable({ client }: NodeRedisClusterNode): boolean {
  return client === undefined || client.isReady
}
