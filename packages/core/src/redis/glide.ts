import { type Argument, type Connection, isUnknownScript } from './connection.ts'
import type { Script } from './script.ts'

/** A client of Valkey GLIDE (the package `@valkey/valkey-glide`, 2) for one server: structural, so that no type of a peer is imported. */
export interface GlideLike {
  customCommand(...args: never[]): Promise<unknown>
  invokeScript(...args: never[]): Promise<unknown>
}

/** What is used of a client beyond its public face here. */
interface GlideServer {
  customCommand(words: readonly string[], options: { readonly decoder: number }): Promise<unknown>
}

/** Its names for replies whose texts are bytes, or texts. */
const [asBytes, asTexts] = [0, 1]

/** A client for a cluster is another. */
export function isGlide(value: unknown): value is GlideLike {
  return (
    typeof value === 'object' &&
    value !== null &&
    'customCommand' in value &&
    typeof value.customCommand === 'function' &&
    'invokeScript' in value &&
    !('invokeScriptWithRoute' in value)
  )
}

/** Over a client that its owner makes and closes, and that reconnects by itself. */
class GlideConnection implements Connection {
  readonly #client: GlideServer
  #lost: (() => void) | undefined

  constructor(client: GlideServer) {
    this.#client = client
  }

  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const decoder = script.bytes ? asBytes : asTexts
    const rest = [String(keys.length), ...keys, ...args.map(String)]
    try {
      return await this.#ask(['EVALSHA', script.sha, ...rest], decoder)
    } catch (error) {
      if (!isUnknownScript(error)) throw error
      return this.#ask(['EVAL', script.text, ...rest], decoder)
    }
  }

  send(command: string, args: readonly Argument[]): Promise<unknown> {
    return this.#ask([command, ...args.map(String)], asTexts)
  }

  whenLost(lost: () => void): void {
    this.#lost = lost
  }

  /** The client is its owner's. */
  async close(): Promise<void> {}

  async #ask(words: readonly string[], decoder: number): Promise<unknown> {
    try {
      return await this.#client.customCommand(words, { decoder })
    } catch (error) {
      // It tells no other way that a connection has ended.
      if (!isReply(error)) this.#lost?.()
      throw asServerSays(error)
    }
  }
}

/** Whether the server has answered with an error. */
function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'RequestError'
}

/** What GLIDE puts in the place of the codes that servers begin with; others it only spells with small letters. */
const codes: Readonly<Record<string, string>> = {
  NoScriptError: 'NOSCRIPT',
  PermissionDenied: 'NOPERM',
  ResponseError: 'ERR',
  BusyLoadingError: 'LOADING',
}

/** An error in the server's words: GLIDE has its own for the code at the beginning. */
function asServerSays(error: unknown): unknown {
  if (!isReply(error) || !(error instanceof Error)) return error
  const [, word = '', said = error.message] =
    /^(?:An error was signalled by the server: - )?(\w+): (.*)$/s.exec(error.message) ?? []
  return new Error(word === '' ? said : `${codes[word] ?? word.toUpperCase()} ${said}`)
}

/** Over a caller's own client of one server; never closed here. */
export function fromGlide(client: GlideLike): Connection {
  return new GlideConnection(client as GlideLike & GlideServer) // isGlide was asked
}
