import { storeError } from '../errors.ts'
import { type Argument, type Connection, isUnknownScript } from './connection.ts'
import type { Script } from './script.ts'

/** An ioredis client, 5 or 6: structural, so that no type of a peer is imported. */
export interface IoredisLike {
  evalsha(...args: never[]): Promise<unknown>
  readonly status: string
}

/** What is used of a client beyond its public face here. */
interface Client {
  evalsha(sha: string, keys: number, ...rest: Argument[]): Promise<unknown>
  eval(text: string, keys: number, ...rest: Argument[]): Promise<unknown>
  call(command: string, ...args: Argument[]): Promise<unknown>
}

/** What is used of a client that was made here. */
interface Own extends Client {
  readonly status: string
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

function run(
  client: Client,
  { sha, text }: Script,
  rest: [readonly string[], readonly Argument[]],
): Promise<unknown> {
  const [keys, args] = rest
  return client.evalsha(sha, keys.length, ...keys, ...args).catch((error: unknown) => {
    if (!isUnknownScript(error)) throw error
    return client.eval(text, keys.length, ...keys, ...args)
  })
}

/** A caller's own client, used as it is and never closed. */
export function fromIoredis(given: IoredisLike): Connection {
  const client = given as unknown as Client // isIoredis was asked; the rest every ioredis client has
  return {
    run: (script, keys, args) => run(client, script, [keys, args]),
    send: (command, args) => client.call(command, ...args),
    close: async () => {},
  }
}

/** Reconnects for ever, never holds commands back, and never sends one twice. */
const healing = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: null,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 6), 2000),
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
}

/** A client of our own. What is asked while it connects waits for the outcome; while it is away everything fails at once. */
export class OwnIoredis implements Connection {
  readonly #made: Promise<Own>
  #client: Own | undefined
  #attempt: Promise<void> | undefined
  #closed = false

  constructor(url: string) {
    this.#made = this.#make(url)
    // Whoever asks is told; here is nobody to tell.
    this.#made.catch(() => {})
  }

  async #make(url: string): Promise<Own> {
    const { Redis } = await import('ioredis').catch((cause: unknown) => {
      throw storeError('redis', 'redisStore(url) needs the package ioredis (npm install ioredis)', cause)
    })
    if (this.#closed) throw storeError('redis', 'the store is closed')
    const client = new Redis(url, healing) as unknown as Own // the real client has what Own names
    // Without a listener a client prints each failed attempt; the store's own events tell of it.
    client.on('error', () => {})
    this.#client = client
    return client
  }

  async #connected(): Promise<Client> {
    const client = this.#client ?? (await this.#made)
    if (client.status === 'connecting' || client.status === 'connect') {
      this.#attempt ??= this.#outcome(client)
      await this.#attempt
    }
    if (client.status !== 'ready') throw storeError('redis', 'not connected')
    return client
  }

  /** Resolves when the attempt to connect under way has ended, well or not. */
  #outcome(client: Own): Promise<void> {
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

  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const client = this.#client?.status === 'ready' ? this.#client : await this.#connected()
    return run(client, script, [keys, args])
  }

  async send(command: string, args: readonly Argument[]): Promise<unknown> {
    return (await this.#connected()).call(command, ...args)
  }

  /** Not `quit`: a server that hangs would be waited for. */
  async close(): Promise<void> {
    this.#closed = true
    this.#client?.disconnect()
  }
}
