import { asTexts, type ReplyForm } from './node-redis-script.ts'

/** One server's own client, which is made when it is first wanted. */
export interface NodeClient {
  readonly isOpen: boolean
  readonly isReady: boolean
  sendCommand(words: readonly string[], options: ReplyForm): Promise<unknown>
  destroy(): void
}

export interface NodeRedisClusterNode {
  readonly address: string
  readonly client?: NodeClient | undefined
}

/** Makes a client for a server, with all settings of its owner, and notes it at the node. */
interface Cluster {
  nodeClient(node: NodeRedisClusterNode): Promise<NodeClient>
}

interface Newcomer {
  readonly node: NodeRedisClusterNode
  calls: number
}

/**
 * Servers of a cluster that hold no slot yet. They are in no slot map, so node-redis cannot find one that a slot is moving to.
 * Each has a connection while calls to it are under way.
 */
export class NodeRedisNewcomers {
  readonly #cluster: Cluster
  readonly #met = new Map<string, Newcomer>()

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  /** Sends a command to a server that is importing its slot, which takes it only behind ASKING. */
  async ask(address: string, words: readonly string[], form: ReplyForm): Promise<unknown> {
    const newcomer = this.#meet(address)
    newcomer.calls++
    try {
      const client = await this.#cluster.nodeClient(newcomer.node)
      // Sent in one go: ASKING holds only for the next command.
      const [, reply] = await Promise.all([
        client.sendCommand(['ASKING'], asTexts),
        client.sendCommand(words, form),
      ])
      return reply
    } finally {
      newcomer.calls--
      if (newcomer.calls === 0) this.#leave(newcomer)
    }
  }

  close(): void {
    for (const newcomer of this.#met.values()) this.#leave(newcomer)
  }

  #meet(address: string): Newcomer {
    const met = this.#met.get(address)
    if (met !== undefined) return met
    const end = address.lastIndexOf(':')
    const place = { host: address.slice(0, end), port: Number(address.slice(end + 1)) }
    const newcomer = { node: { ...place, address, readonly: false, client: undefined }, calls: 0 }
    this.#met.set(address, newcomer)
    return newcomer
  }

  #leave({ node }: Newcomer): void {
    this.#met.delete(node.address)
    if (node.client?.isOpen === true) node.client.destroy()
  }
}

/** The server that node-redis was redirected to and cannot find; undefined for any other error. */
export function newcomerIn(error: unknown): string | undefined {
  return error instanceof Error ? /^Cannot find node (\S+)$/.exec(error.message)?.[1] : undefined
}
