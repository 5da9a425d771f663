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

/** A client of our own. What is asked before it has connected once waits for that; later a lost connection fails at once. */
export class OwnIoredis implements Connection {
  readonly #connected: Promise<Client>
  #client: Client | undefined
  #closed = false

  constructor(url: string) {
    this.#connected = this.#connect(url)
    // Whoever asks is told; here is nobody to tell.
    this.#connected.catch(() => {})
  }

  async #connect(url: string): Promise<Client> {
    const { Redis } = await import('ioredis').catch((cause: unknown) => {
      throw storeError('redis', 'redisStore(url) needs the package ioredis (npm install ioredis)', cause)
    })
    if (this.#closed) throw storeError('redis', 'the store is closed')
    const made = new Redis(url, healing)
    // Without a listener a client prints each failed attempt; the store's own events tell of it.
    made.on('error', () => {})
    this.#client = made as unknown as Client // the real client has what Client names
    await new Promise<void>((resolve) => made.once('ready', () => resolve()))
    return this.#client
  }

  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return run(await this.#connected, script, [keys, args])
  }

  async send(command: string, args: readonly Argument[]): Promise<unknown> {
    return (await this.#connected).call(command, ...args)
  }

  /** Not `quit`: a server that hangs would be waited for. */
  async close(): Promise<void> {
    this.#closed = true
    this.#client?.disconnect()
  }
}
