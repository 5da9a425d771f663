import type { Socket } from 'node:net'
import type { Redis, RedisOptions, SentinelConnectionOptions, SentinelConnector } from 'ioredis'
import { storeError } from '../../errors.ts'
import type { Access, Place, Settings, Watched } from '../access.ts'
import { isReadOnly } from '../client-errors.ts'
import { type IoredisLike, ioredisNeeded } from '../client-kinds.ts'
import type { Connection } from '../connection.ts'
import { IoredisConnection } from './ioredis.ts'
import { type ClusterClient, IoredisClusterConnection } from './ioredis-cluster.ts'
import { noteTroubles, type ServerClient, troubleOf } from './ioredis-lifecycle.ts'

/** How long a connection that is to end keeps the process, as it waits for the other end, which may be gone. */
const closingMs = 100

const retryMs = (attempt: number) => Math.min(50 * 2 ** attempt, 2000)

/**
 * Never holds commands back, and never sends one twice. The other end of a connection may be gone if commands get no reply for long:
 * only a new connection shows it.
 */
const patient = {
  connectTimeout: 2000,
  socketTimeout: 2000,
  disconnectTimeout: closingMs,
  // A server that loads its data guesses how long that will take, and its first guesses are far too long.
  maxLoadingRetryTime: 500,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: null,
}

/** Reconnects for ever, once it was asked to connect. */
const healing = { ...patient, retryStrategy: retryMs, reconnectOnError: isReadOnly, lazyConnect: true }

/**
 * The client passes over a Sentinel that says nothing, and begins anew when all have been asked. Both times are short, as a process
 * whose client is closed meanwhile waits for them.
 */
const asking = {
  sentinelCommandTimeout: 400,
  sentinelRetryStrategy: (attempt: number) => Math.min(retryMs(attempt), 300),
}

/** The code of the error of any `import()` in a running jest test, where jest was not started for ES modules. */
const inJest = 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG'
const jestNeeded =
  'a client for a URL in jest: set NODE_OPTIONS=--experimental-vm-modules, or give redisStore a client of ioredis'

async function importIoredis() {
  try {
    // Turbopack does not build where a package is missing that is imported outside of `try`.
    const ioredis = await import('ioredis')
    // A bundler may give a CommonJS package no names, only its exports as `default`.
    return 'Redis' in ioredis ? ioredis : (ioredis as { default: typeof ioredis }).default
  } catch (cause) {
    const { code } = Object(cause) as { readonly code?: unknown } // looked at
    throw storeError('redis', `not there: ${code === inJest ? jestNeeded : ioredisNeeded}`, cause)
  }
}

/** Sets name and password. A changed password is found at the next connection, as a client reads its options at each. */
function identify(options: { username?: unknown; password?: unknown }, { username, password }: Access): void {
  if (username !== undefined) options.username = username
  if (password !== undefined) Object.defineProperty(options, 'password', { enumerable: true, get: password })
}

/** What is used of a client's connector, in 5 and 6. */
interface HiddenConnector {
  /** false once the client was disconnected, also while its stream is still connecting. */
  readonly connecting: boolean
  /** Why a stream that is closed already was closed. */
  firstError?: unknown
  connect(emit: unknown): Promise<Socket>
}

/** Stands for a stream that is closed: what a client asks of one before it looks. */
const noStream = { destroyed: true, setNoDelay(): void {}, setKeepAlive(): void {} }

/**
 * The stream, which its client ends a little later when it was silent for too long, unless something has come by then. After a pause of
 * this process timers are called before anything is read.
 */
function heardOut(stream: Socket): Socket {
  const destroy = stream.destroy.bind(stream)
  stream.destroy = (error) => {
    if (!error?.message.startsWith('Socket timeout')) return destroy(error)
    const { bytesRead } = stream
    setTimeout(() => {
      if (stream.bytesRead === bytesRead) destroy(error)
    }, closingMs)
    return stream
  }
  return stream
}

/**
 * A client ends for good, or stays connecting, where an attempt cannot even begin: where a getter of `tls` throws, or answers a
 * certificate while only half of it is written, or one that its key does not fit yet. From now on that attempt fails like any other.
 */
function persistent<Client extends object>(client: Client): Client {
  const { connector } = client as { readonly connector?: HiddenConnector } // looked at
  if (connector === undefined) return client
  const connect = connector.connect.bind(connector)
  connector.connect = async (emit) => {
    try {
      return heardOut(await connect(emit))
    } catch (error) {
      if (!connector.connecting) throw error
      connector.firstError = error
      return noStream as unknown as Socket
    }
  }
  return client
}

/** Connects the client, once its options are complete. */
function begin(client: Redis, access: Access): ServerClient {
  identify(client.options, access)
  persistent(client)
    .connect()
    .catch(() => {})
  return noteTroubles(client as unknown as ServerClient) // the real client has what it names
}

async function makeServer(url: string, access: Access, more?: Settings): Promise<ServerClient> {
  const { Redis } = await importIoredis()
  const { tls } = access
  return begin(new Redis(url, { ...healing, ...(tls && { tls }), ...more }), access)
}

async function makeCluster(
  nodes: readonly string[],
  access: Access,
  more?: Settings,
): Promise<ClusterClient> {
  const { Cluster } = await importIoredis()
  const { tls } = access
  const client = new Cluster([...nodes], {
    clusterRetryStrategy: retryMs,
    redisOptions: { ...patient, ...(tls && { tls }), ...more },
    // A certificate is for a name, not for the address to which it resolves.
    ...(tls && { dnsLookup: (host, done) => done(null, host) }),
  })
  client.on('+node', (node: Redis) => identify(persistent(node).options, access))
  return noteTroubles(client as unknown as ClusterClient, nodeTroubles(client)) // as above
}

interface SentinelClient {
  connect(): Promise<unknown>
  on(event: string, listener: (channel: string, text: string) => void): unknown
  subscribe(channel: string): Promise<unknown>
  disconnect(): void
}

/** What is used of a connector to Sentinels beyond its type, in 5 and 6. */
interface HiddenSentinelConnector extends HiddenConnector {
  readonly stream?: Pick<Socket, 'remoteAddress' | 'remotePort' | 'destroy'>
  /** Makes the client that asks one Sentinel, once. */
  connectToSentinel(endpoint: object, options?: object): SentinelClient
  /** Called at each connection. */
  initFailoverDetector(): void
}

/**
 * A connector that leaves a master once a Sentinel says that it was replaced. Sentinels tell the master itself ten seconds later, or when
 * they reach it, and what it has counted until then is lost. The detector of ioredis also leaves it when another master was replaced, and
 * ends for good a client that is connecting.
 * A client that has asked a Sentinel is ended after `disconnectTimeout`. ioredis waits for two seconds, in which a process cannot end, and
 * has no option for it.
 */
function attentive(
  { sentinels, master }: Watched,
  connector: typeof SentinelConnector,
): NonNullable<RedisOptions['Connector']> {
  return class extends connector {
    readonly #listening: SentinelClient[] = []

    constructor(options: unknown) {
      super(options as SentinelConnectionOptions) // a client hands over its own options
      const hidden = this as unknown as HiddenSentinelConnector
      const toSentinel = hidden.connectToSentinel.bind(this)
      hidden.connectToSentinel = (endpoint, more) =>
        toSentinel(endpoint, { ...more, disconnectTimeout: closingMs })
      hidden.initFailoverDetector = () => {
        if (!hidden.connecting || this.#listening.length > 0) return
        for (const url of sentinels) {
          const lasting = { retryStrategy: retryMs, lazyConnect: true }
          const sentinel = persistent(hidden.connectToSentinel(addressOf(url), lasting))
          sentinel.on('error', () => {})
          sentinel.on('ready', () => sentinel.subscribe('+switch-master').catch(() => {}))
          sentinel.on('message', (_channel, text) => {
            const { stream } = hidden
            const here = ` ${stream?.remoteAddress} ${stream?.remotePort}`
            // The name, the address of the old master and that of the new one.
            if (text.startsWith(`${master} `) && !text.endsWith(here)) stream?.destroy()
          })
          sentinel.connect().catch(() => {})
          this.#listening.push(sentinel)
        }
      }
    }

    override disconnect(): void {
      super.disconnect()
      for (const sentinel of this.#listening.splice(0)) sentinel.disconnect()
    }
  }
}

async function makeWatched(watched: Watched, access: Access, more?: Settings): Promise<ServerClient> {
  const { Redis, SentinelConnector } = await importIoredis()
  const { tls } = access
  const client = new Redis({
    ...healing,
    ...asking,
    Connector: attentive(watched, SentinelConnector),
    sentinels: watched.sentinels.map(addressOf),
    name: watched.master,
    ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
    ...more,
  })
  return begin(client, access)
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** What is used of a caller's own client to make another like it. */
interface Duplicable {
  duplicate(options: object): ServerClient
  duplicate(nodes: readonly [], options: object): ClusterClient
  readonly options: { readonly redisOptions?: object }
}

// Connections over a client of our own, which reaches what a caller's does or is made from options; it is closed with the connection.

export function likeIoredis(client: IoredisLike, more?: Settings): Connection {
  const original = client as IoredisLike & Duplicable // every ioredis client has it
  const server = persistent(original.duplicate({ ...healing, ...more }))
  return new IoredisConnection(Promise.resolve(noteTroubles(server)))
}

export function likeIoredisCluster(client: IoredisLike, more?: Settings): Connection {
  const original = client as IoredisLike & Duplicable // as above
  // ioredis 5 takes these in the place of the client's own, a password and TLS among them.
  const redisOptions = { ...original.options.redisOptions, ...patient, ...more }
  const cluster = original.duplicate([], { redisOptions })
  cluster.on('+node', (node) => persistent(Object(node)))
  return new IoredisClusterConnection(Promise.resolve(noteTroubles(cluster, nodeTroubles(cluster))))
}

export function toPlace(place: Place, access: Access, more?: Settings): Connection {
  if ('url' in place) return new IoredisConnection(makeServer(place.url, access, more))
  if ('cluster' in place) return new IoredisClusterConnection(makeCluster(place.cluster, access, more))
  return new IoredisConnection(makeWatched(place, access, more))
}

/** One server of a cluster: what is used of it here. */
interface NamedNode {
  readonly options: { readonly host?: string; readonly port?: number }
  duplicate(options: object): { on(event: 'error', listener: (error: unknown) => void): unknown }
}

/** What a cluster's client is used for here. */
interface NodesClient {
  // biome-ignore lint/suspicious/noExplicitAny: each event has arguments of its own
  on(event: string, listener: (...args: any[]) => void): unknown
}

/** A cluster may have hundreds of nodes: more names than this would make a line of a log too long. */
const mostNamed = 5

/**
 * Returns a function that answers what each node of a cluster has said since the client was last connected, or since the last call:
 * call it once all nodes have failed. undefined: none has said anything.
 */
export function nodeTroubles(client: NodesClient): () => string | undefined {
  const said = new Map<string, string>()
  client.on('+node', (node: NamedNode) => {
    const at = `${node.options.host}:${node.options.port}`
    const duplicate = node.duplicate.bind(node)
    // The client asks each node over a separate connection, and reports only that this was closed.
    node.duplicate = (options) => {
      const asker = persistent(duplicate(options))
      asker.on('error', (error) => said.set(at, troubleOf(error)))
      return asker
    }
  })
  client.on('node error', (error: unknown, at: string) => {
    if (!said.has(at)) said.set(at, troubleOf(error))
  })
  client.on('ready', () => said.clear())
  return () => {
    const all = Array.from(said, ([at, message]) => `${at}: ${message}`)
    said.clear()
    if (all.length <= mostNamed) return all.join('; ') || undefined
    return `${all.slice(0, mostNamed).join('; ')}; and ${all.length - mostNamed} more`
  }
}
