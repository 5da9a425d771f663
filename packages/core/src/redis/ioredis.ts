import { storeError } from '../errors.ts'
import { type Argument, type Connection, isUnknownScript } from './connection.ts'
import type { Script } from './script.ts'

/** An ioredis client, 5 or 6: structural, so that no type of a peer is imported. */
export interface IoredisLike {
  evalsha(...args: never[]): Promise<unknown>
  readonly status: string
}

/** What is used of a client beyond its public face here. */
interface Client extends IoredisLike {
  evalsha(sha: string, keys: number, ...rest: Argument[]): Promise<unknown>
  eval(text: string, keys: number, ...rest: Argument[]): Promise<unknown>
  call(command: string, ...args: Argument[]): Promise<unknown>
  on(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
  disconnect(): void
}

export function isIoredis(value: unknown): value is IoredisLike {
  return (
    typeof value === 'object' &&
    value !== null &&
    'evalsha' in value &&
    typeof value.evalsha === 'function' &&
    'status' in value &&
    typeof value.status === 'string'
  )
}

/**
 * Reconnects for ever, never holds commands back, and never sends one twice. A connection that is asked and says nothing for
 * long may be one whose other end is gone: only a new one tells.
 */
const healing = {
  socketTimeout: 2000,
  // How long a closed client goes on waiting for the other end, which may be gone: it keeps the process.
  disconnectTimeout: 100,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: null,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 6), 2000),
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
}

/** A client of our own for a URL. */
async function makeClient(url: string): Promise<Client> {
  const { Redis } = await import('ioredis').catch((cause: unknown) => {
    throw storeError('redis', 'redisStore(url) needs the package ioredis (npm install ioredis)', cause)
  })
  const client = new Redis(url, healing) as unknown as Client // the real client has what Client names
  // Without a listener a client prints each failed attempt; the store's own events tell of it.
  client.on('error', () => {})
  return client
}

/** Over ioredis. What is asked while the client connects waits for the outcome; while it is away everything fails at once. */
class IoredisConnection implements Connection {
  readonly #made: Promise<Client> | undefined
  #client: Client | undefined
  #attempt: Promise<void> | undefined
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
    // Whoever asks is told; here is nobody to tell.
    this.#made.catch(() => {})
  }

  async run({ sha, text }: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const client = this.#client?.status === 'ready' ? this.#client : await this.#connected()
    try {
      return await client.evalsha(sha, keys.length, ...keys, ...args)
    } catch (error) {
      if (!isUnknownScript(error)) throw error
      return client.eval(text, keys.length, ...keys, ...args)
    }
  }

  async send(command: string, args: readonly Argument[]): Promise<unknown> {
    return (await this.#connected()).call(command, ...args)
  }

  async #connected(): Promise<Client> {
    const client = this.#client ?? (await this.#made)
    if (client === undefined) throw storeError('redis', 'not connected')
    if (client.status === 'connecting' || client.status === 'connect') {
      this.#attempt ??= this.#outcome(client)
      await this.#attempt
    }
    // A lazy client connects at its first command.
    if (client.status !== 'ready' && client.status !== 'wait') throw storeError('redis', 'not connected')
    return client
  }

  /** Resolves when the attempt to connect that is under way has ended, well or not. */
  #outcome(client: Client): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        client.off('ready', done)
        client.off('close', done)
        this.#attempt = undefined
        resolve()
      }
      client.on('ready', done)
      client.on('close', done)
    })
  }

  /** Not `quit`: a server that hangs would be waited for. */
  async close(): Promise<void> {
    if (this.#made === undefined) return
    this.#closed = true
    this.#client?.disconnect()
  }
}

/** Over a caller's own client, never closed here. */
export function fromIoredis(client: IoredisLike): Connection {
  return new IoredisConnection(client as Client) // isIoredis was asked; the rest every ioredis client has
}

/** Over a client of our own, closed with the store. */
export function toUrl(url: string): Connection {
  return new IoredisConnection(makeClient(url))
}
