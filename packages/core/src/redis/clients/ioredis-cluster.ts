import { storeError } from '../../errors.ts'
import { redirectionOf } from '../client-errors.ts'
import type { IoredisLike } from '../client-kinds.ts'
import type { Argument, Connection, KeysAndArgs, Script } from '../connection.ts'
import { slotOf } from '../slot.ts'
import { scriptsOf } from './ioredis.ts'
import { IoredisLifecycle, type ServerClient, type StatusClient } from './ioredis-lifecycle.ts'

/** One server of a cluster, as ioredis keeps it. */
interface ClusterNode extends ServerClient {
  asking(): Promise<unknown>
  sendCommand(...args: unknown[]): unknown
  readonly options: ServerClient['options'] & ServerPlace & Prefixing
}

interface Prefixing {
  readonly keyPrefix?: string
}

/** What is used of a cluster's client beyond the type `IoredisLike`. */
export interface ClusterClient extends StatusClient {
  readonly options: Prefixing
  /** By slot: the addresses of its servers, the master first. */
  readonly slots: (readonly string[] | undefined)[]
  nodes(role?: 'master'): ClusterNode[]
  refreshSlotsCache(done?: () => void): void
  // The next members are not public, so they are used only where they exist.
  /** The place at which this client reaches the server that has this address in its cluster. */
  natMapper?(address: string): ServerPlace
  readonly connectionPool?: { findOrCreate?(place: ServerPlace): unknown }
}

interface ServerPlace {
  readonly host?: string
  readonly port?: number
}

type ClusterCall =
  | (KeysAndArgs & { readonly script: Script })
  | { readonly command: string; readonly args: readonly Argument[] }

/** How often a call may be sent on to another server. */
const mostHops = 5
/** Refreshing the slot map takes a connection: at most one refresh in this time. */
const refreshEveryMs = 100

/**
 * A connection over an ioredis cluster client. Calls go to the servers themselves and not through the client, which would send an
 * unanswered call a second time after its connection is lost, and wait 100 ms at TRYAGAIN.
 */
export class IoredisClusterConnection implements Connection {
  readonly #life: IoredisLifecycle<ClusterClient>
  readonly #known = new Map<string, ClusterNode>()
  #refreshedAt = Number.NEGATIVE_INFINITY
  #turn = 0

  constructor(client: ClusterClient | Promise<ClusterClient>) {
    this.#life = new IoredisLifecycle(client)
  }

  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const client = this.#life.ready ?? (await this.#life.connected())
    return this.#callHolder(client, keys[0] ?? '', { script, keys, args })
  }

  async send(command: string, args: readonly Argument[], key?: string): Promise<unknown> {
    const client = this.#life.ready ?? (await this.#life.connected())
    if (key === undefined) return this.#any(client).call(command, ...args)
    return this.#callHolder(client, key, { command, args })
  }

  async sendToAll(command: string, args: readonly Argument[]): Promise<readonly unknown[]> {
    const client = this.#life.ready ?? (await this.#life.connected())
    return Promise.all(this.#masters(client).map((node) => node.call(command, ...args)))
  }

  nodeOf(key: string): string {
    const client = this.#life.ready
    return client?.slots[slotIn(client, key)]?.[0] ?? ''
  }

  nodeNames(): readonly string[] {
    const client = this.#life.ready
    return client === undefined ? [] : masterNames(client)
  }

  whenLost(lost: () => void): void {
    this.#life.whenLost(lost)
  }

  async close(): Promise<void> {
    this.#life.close()
  }

  /** Calls the server that holds the key, and follows redirections. */
  async #callHolder(client: ClusterClient, key: string, call: ClusterCall): Promise<unknown> {
    const slot = slotIn(client, key)
    let node = this.#holder(client, slot)
    let asking = false
    for (let hops = 0; ; hops++) {
      try {
        return await callAt(node, call, asking)
      } catch (error) {
        const elsewhere = redirectionOf(error)
        if (elsewhere === undefined || hops === mostHops) {
          if (!usable(node)) this.#refresh(client)
          throw error
        }
        asking = elsewhere.asking
        const address = reachedAt(client, elsewhere.address)
        node = await this.#at(client, address, asking)
        if (!asking) client.slots[slot] = [address]
      }
    }
  }

  #holder(client: ClusterClient, slot: number): ClusterNode {
    const node = this.#find(client, client.slots[slot]?.[0] ?? '')
    if (node !== undefined && usable(node)) return node
    this.#refresh(client)
    throw storeError('redis', 'the server that holds the key is not connected')
  }

  /** All masters that hold slots, by the slot map: the client itself forgets a server once its connection has ended. */
  #masters(client: ClusterClient): readonly ClusterNode[] {
    const addresses = masterNames(client)
    const nodes = addresses.map((address) => this.#find(client, address))
    const masters = nodes.filter((node): node is ClusterNode => node !== undefined && usable(node))
    if (masters.length > 0 && masters.length === addresses.length) return masters
    this.#refresh(client)
    throw storeError('redis', 'a server of the cluster is not connected')
  }

  #find(client: ClusterClient, address: string): ClusterNode | undefined {
    const known = this.#known.get(address)
    if (known !== undefined && usable(known)) return known
    const found = client.nodes().find(({ options }) => nameOf(options) === address)
    if (found === undefined) {
      this.#known.delete(address)
      return undefined
    }
    const node = prefixed(found, client.options)
    this.#known.set(address, node)
    return node
  }

  /** The server that a redirection names; one that the client has not met yet is made known to it. */
  async #at(client: ClusterClient, address: string, asking: boolean): Promise<ClusterNode> {
    const met = this.#find(client, address)
    if (met !== undefined) return met
    // A slot may be moving to a server that holds no slot yet, and so is in no slot map.
    if (asking) client.connectionPool?.findOrCreate?.(placeOf(address))
    else await new Promise<void>((resolve) => client.refreshSlotsCache(() => resolve()))
    const node = this.#find(client, address)
    if (node === undefined) throw storeError('redis', `no connection to ${address}`)
    return node
  }

  /** Round-robins over masters. Also refreshes the slot map: the caller may be here because a master failed. */
  #any(client: ClusterClient): ClusterNode {
    this.#refresh(client)
    const masters = client.nodes('master').filter(usable)
    const node = masters[this.#turn++ % masters.length]
    if (node === undefined) throw storeError('redis', 'no server of the cluster is connected')
    return node
  }

  #refresh(client: ClusterClient): void {
    const now = performance.now()
    if (now - this.#refreshedAt < refreshEveryMs) return
    this.#refreshedAt = now
    client.refreshSlotsCache()
  }
}

function slotIn({ options: { keyPrefix = '' } }: ClusterClient, key: string): number {
  return slotOf(keyPrefix + key)
}

/** The server's client with the prefix that the cluster's client puts before keys; without it, it makes commands that have none. */
function prefixed(node: ClusterNode, { keyPrefix }: Prefixing): ClusterNode {
  if (!keyPrefix || node.options.keyPrefix) return node
  const options = { value: { ...node.options, keyPrefix } }
  return Object.create(node, { options, sendCommand: { value: node.sendCommand.bind(node) } })
}

/** The address as the client names it: behind a NAT a server has another address here than in its cluster. */
function reachedAt(client: ClusterClient, address: string): string {
  const place = client.natMapper?.(address)
  return place === undefined ? address : nameOf(place)
}

function nameOf({ host, port }: ServerPlace): string {
  return `${host}:${port}`
}

function placeOf(address: string): ServerPlace {
  const end = address.lastIndexOf(':')
  return { host: address.slice(0, end), port: Number(address.slice(end + 1)) }
}

function masterNames({ slots }: ClusterClient): readonly string[] {
  return [...new Set(slots.map((servers) => servers?.[0] ?? ''))]
}

/** Whether the server is connected, is connecting, or connects at the first command. */
function usable({ status }: ClusterNode): boolean {
  return status === 'ready' || status === 'wait' || status === 'connecting' || status === 'connect'
}

async function callAt(node: ClusterNode, call: ClusterCall, asking: boolean): Promise<unknown> {
  // Holds for the command that follows at once; if it fails, so does that.
  if (asking) node.asking().catch(() => {})
  if ('command' in call) return node.call(call.command, ...call.args)
  const scripts = scriptsOf(node)
  // As text, since a second command would not be let in.
  return asking ? scripts.sendScript(call.script, call, 'text') : scripts.run(call.script, call)
}

/** isIoredis was asked; the rest every cluster client of ioredis has. */
export function overIoredisCluster(client: IoredisLike): Connection {
  return new IoredisClusterConnection(client as IoredisLike & ClusterClient)
}
