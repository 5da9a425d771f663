import { type StoreError, storeError } from '../../errors.ts'
import type { Argument } from '../evalsha.ts'

/** What both of ioredis' clients, for one server and for a cluster, have in common here. */
export interface StatusClient {
  readonly status: string
  connect(): Promise<unknown>
  on(event: string, listener: (error?: unknown) => void): unknown
  off(event: string, listener: () => void): unknown
  disconnect(): void
}

/** What runs scripts: a client, which answers promises, or a pipeline, which keeps the answers until it is executed. */
export interface ScriptCommands<Reply> {
  evalsha(sha: string, keys: number, ...rest: Argument[]): Reply
  eval(text: string, keys: number, ...rest: Argument[]): Reply
  evalshaBuffer(sha: string, keys: number, ...rest: Argument[]): Reply
  evalBuffer(text: string, keys: number, ...rest: Argument[]): Reply
}

interface Pipeline extends ScriptCommands<unknown> {
  exec(): Promise<readonly (readonly [error: Error | null, reply: unknown])[] | null>
}

/** One server's client: what is used of it beyond its public face here. */
export interface ServerClient extends StatusClient, ScriptCommands<Promise<unknown>> {
  readonly options: {
    readonly enableAutoPipelining?: boolean
    readonly commandTimeout?: number
  }
  /** Of the connection that it has now. */
  readonly stream?: unknown
  call(command: string, ...args: Argument[]): Promise<unknown>
  pipeline(): Pipeline
}

/** Why a client of our own has no connection, as it has said last. */
const troubles = new WeakMap<object, string>()

/** A server says so of a database that it does not have. */
const noSuchDatabase = /DB index/

/** ioredis says so also where Sentinels do not know the master: what the last of them has met says more. */
const noSentinel = /^All sentinels are unreachable/

/**
 * From now on why it does not connect is known; without a listener a client would print each failed attempt. `ofNodes`: what the nodes of
 * a cluster have said of the attempt that has just failed.
 */
export function noteTroubles<Client extends StatusClient>(
  client: Client,
  ofNodes?: () => string | undefined,
): Client {
  let ofSentinel: string | undefined
  client.on('sentinelError', (error) => {
    ofSentinel = troubleOf(error)
  })
  client.on('error', (error) => {
    // What follows from that says nothing more.
    if (noSuchDatabase.test(troubles.get(client) ?? '')) return
    const said = ofNodes?.() ?? troubleOf(error)
    const why = ofSentinel !== undefined && noSentinel.test(said) ? ofSentinel : said
    troubles.set(client, why)
    // It would go on in database 0, where others count, or nobody looks.
    if (noSuchDatabase.test(why)) client.disconnect()
  })
  client.on('ready', () => troubles.delete(client))
  return client
}

export function troubleOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function notConnected(client: object | undefined): StoreError {
  const why = client === undefined ? undefined : troubles.get(client)
  return storeError('redis', why === undefined || why === '' ? 'not connected' : `not connected: ${why}`)
}

/** A client from being made to being closed. While it connects one waits for the outcome; while it is away one fails at once. */
export class IoredisLifecycle<Client extends StatusClient> {
  readonly #made: Promise<Client> | undefined
  #client: Client | undefined
  #attempt: Promise<void> | undefined
  #lost: (() => void) | undefined
  #closed = false

  /** A client that is used as it is, or one that is being made and is closed here. */
  constructor(client: Client | Promise<Client>) {
    if (!(client instanceof Promise)) {
      this.#client = client
      return
    }
    this.#made = client.then((made) => {
      this.#client = made
      if (this.#closed) made.disconnect()
      return made
    })
    // The next caller gets the error; there is none yet.
    this.#made.catch(() => {})
  }

  /** Called at each end of a connection. */
  whenLost(lost: () => void): void {
    this.#lost = lost
    if (this.#client === undefined) this.#made?.then((made) => made.on('close', lost)).catch(() => {})
    else this.#client.on('close', lost)
  }

  /** The client, where it is there and connected. */
  get ready(): Client | undefined {
    return this.#client?.status === 'ready' ? this.#client : undefined
  }

  /** The client when it is connected. */
  async connected(): Promise<Client> {
    const client = this.#client ?? (await this.#made)
    if (client === undefined) throw notConnected(client)
    // A lazy client connects on first use; the call's outcome shows whether that worked.
    if (client.status === 'wait') client.connect().catch(() => {})
    if (client.status === 'connecting' || client.status === 'connect') {
      this.#attempt ??= this.#outcome(client)
      await this.#attempt
    }
    if (client.status !== 'ready') throw notConnected(client)
    return client
  }

  /** Not `quit`: a server that hangs would be waited for. A caller's client would keep what listens to it as long as it lives. */
  close(): void {
    if (this.#made === undefined) {
      if (this.#lost !== undefined) this.#client?.off('close', this.#lost)
      return
    }
    this.#closed = true
    this.#client?.disconnect()
  }

  /** Resolves when the attempt to connect that is under way has ended, well or not. */
  #outcome(client: Client): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        client.off('ready', done)
        client.off('close', done)
        client.off('error', done)
        this.#attempt = undefined
        resolve()
      }
      client.on('ready', done)
      client.on('close', done)
      // Of Sentinels none has answered: the client begins anew, and does not close. To a caller's own its owner listens.
      if (this.#made !== undefined) client.on('error', done)
    })
  }
}
