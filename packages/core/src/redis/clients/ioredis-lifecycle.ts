import { isLater } from '../../answers.ts'
import { type StoreError, storeError } from '../../errors.ts'
import type { Argument } from '../connection.ts'

/** What both of ioredis' clients, for one server and for a cluster, have in common here. */
export interface StatusClient {
  readonly status: string
  connect(): Promise<unknown>
  on(event: string, listener: (error?: unknown) => void): unknown
  off(event: string, listener: () => void): unknown
  disconnect(): void
  call(command: string, ...args: Argument[]): Promise<unknown>
  /** Of a connection to one server: `select` is the number of its database. */
  readonly condition?: { readonly select?: number } | null
  /** The stream of its present connection. */
  readonly stream?: unknown
}

/** Commands that run scripts: of a client, which answers promises, or of a pipeline, which keeps the answers until it is executed. */
export interface ScriptCommands<Reply> {
  evalsha(sha: string, keys: number, ...rest: Argument[]): Reply
  eval(text: string, keys: number, ...rest: Argument[]): Reply
  evalshaBuffer(sha: string, keys: number, ...rest: Argument[]): Reply
  evalBuffer(text: string, keys: number, ...rest: Argument[]): Reply
}

export interface Pipeline extends ScriptCommands<unknown> {
  call(command: string, ...args: Argument[]): Pipeline
  exec(): Promise<readonly (readonly [error: Error | null, reply: unknown])[] | null>
}

/** One server's client: what is used of it beyond the type `IoredisLike`. */
export interface ServerClient extends StatusClient, ScriptCommands<Promise<unknown>> {
  readonly options: {
    readonly enableAutoPipelining?: boolean
    readonly commandTimeout?: number
  }
  pipeline(): Pipeline
}

/** Why a client of our own has no connection, by its latest error. */
const troubles = new WeakMap<object, string>()

/** ioredis says this even where Sentinels do not know the master. The error of the last Sentinel says more. */
const noSentinel = /^All sentinels are unreachable/

/**
 * Notes from now on why the client does not connect; without a listener a client would print each failed attempt. `ofNodes`: what the
 * nodes of a cluster have said of the attempt that has just failed.
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
    const said = ofNodes?.() ?? troubleOf(error)
    troubles.set(client, ofSentinel !== undefined && noSentinel.test(said) ? ofSentinel : said)
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

/** A client from being made to being closed. Calls wait for the outcome while it connects, and fail at once while it is away. */
export class IoredisLifecycle<Client extends StatusClient> {
  readonly #made: Promise<Client> | undefined
  #client: Client | undefined
  #attempt: Promise<void> | undefined
  #lost: (() => void) | undefined
  #closed = false
  /** The stream of a connection whose server has the client's database. */
  #sound: unknown

  /** `client`: used as it is, or, as a promise, being made, and then closed here. */
  constructor(client: Client | Promise<Client>) {
    if (!isLater(client)) {
      this.#client = client
      return
    }
    this.#made = client.then((made) => {
      this.#client = made
      if (this.#closed) made.disconnect()
      return made
    })
    // The next caller gets the error; there is no caller yet.
    this.#made.catch(() => {})
  }

  /** Calls `lost` whenever a connection has ended. */
  whenLost(lost: () => void): void {
    this.#lost = lost
    if (this.#client === undefined) this.#made?.then((made) => made.on('close', lost)).catch(() => {})
    else this.#client.on('close', lost)
  }

  /** The client, where it is there and connected. */
  get ready(): Client | undefined {
    const client = this.#client
    return client?.status === 'ready' && this.#fits(client) ? client : undefined
  }

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
    const { stream } = client
    if (!this.#fits(client)) {
      // Without the database the client would go on in database 0, where others count, or nobody looks.
      await client.call('SELECT', client.condition?.select ?? 0).catch((error: unknown) => {
        troubles.set(client, troubleOf(error))
        throw notConnected(client)
      })
      this.#sound = stream
    }
    return client
  }

  /** Whether the client's database is 0, or was found at the present connection. */
  #fits({ condition, stream }: Client): boolean {
    return !condition?.select || stream === this.#sound
  }

  /**
   * Disconnects a client of our own: `quit` would wait for a server that hangs. Leaves a caller's client open, without our listener, which
   * it would otherwise keep as long as it lives.
   */
  close(): void {
    if (this.#made === undefined) {
      if (this.#lost !== undefined) this.#client?.off('close', this.#lost)
      return
    }
    // Each time, ioredis adds a listener to its socket.
    if (!this.#closed) this.#client?.disconnect()
    this.#closed = true
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
      // If no Sentinel has answered, the client begins anew and does not close. The owner of a client listens to its errors.
      if (this.#made !== undefined) client.on('error', done)
    })
  }
}
