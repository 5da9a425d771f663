import type { GlideLike } from '../client-kinds.ts'
import { CommandConnection, type Connection } from '../connection.ts'

/** What is used of a client beyond the type `GlideLike`. */
interface GlideServer {
  customCommand(words: readonly string[], options: { readonly decoder: number }): Promise<unknown>
}

/** GLIDE's numbers for replies whose texts are bytes, or texts. */
const [asBytes, asTexts] = [0, 1]

/** A connection over a client that its owner makes and closes, and that reconnects by itself. */
class GlideConnection extends CommandConnection {
  readonly #client: GlideServer
  #lost: (() => void) | undefined

  constructor(client: GlideServer) {
    super()
    this.#client = client
  }

  whenLost(lost: () => void): void {
    this.#lost = lost
  }

  /** Does nothing: the owner closes the client. */
  async close(): Promise<void> {}

  protected async ask(words: readonly string[], bytes: boolean): Promise<unknown> {
    try {
      return await this.#client.customCommand(words, { decoder: bytes ? asBytes : asTexts })
    } catch (error) {
      // The client tells in no other way that a connection has ended.
      if (!isReply(error)) {
        this.known.forget()
        this.#lost?.()
      }
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

export function overGlide(client: GlideLike): Connection {
  return new GlideConnection(client as GlideLike & GlideServer) // isGlide was asked
}
