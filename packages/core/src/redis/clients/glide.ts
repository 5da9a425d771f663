import type { GlideLike } from '../client-kinds.ts'
import type { Connection } from '../connection.ts'
import {
  type Argument,
  type KeysAndArgs,
  KnownScripts,
  type Script,
  type ScriptForm,
  type ScriptSender,
  scriptCommand,
} from '../evalsha.ts'

/** What is used of a client beyond the type `GlideLike`. */
interface GlideServer {
  customCommand(words: readonly string[], options: { readonly decoder: number }): Promise<unknown>
}

/** GLIDE's numbers for replies whose texts are bytes, or texts. */
const [asBytes, asTexts] = [0, 1]

/** A connection over a client that its owner makes and closes, and that reconnects by itself. */
class GlideConnection implements Connection, ScriptSender<KeysAndArgs> {
  readonly #client: GlideServer
  readonly #known = new KnownScripts()
  #lost: (() => void) | undefined

  constructor(client: GlideServer) {
    this.#client = client
  }

  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.#known.run(this, script, { keys, args })
  }

  sendScript(script: Script, call: KeysAndArgs, form: ScriptForm): Promise<unknown> {
    return this.#ask(scriptCommand(script, call, form), script.bytes ? asBytes : asTexts)
  }

  send(command: string, args: readonly Argument[]): Promise<unknown> {
    return this.#ask([command, ...args.map(String)], asTexts)
  }

  whenLost(lost: () => void): void {
    this.#lost = lost
  }

  /** Does nothing: the owner closes the client. */
  async close(): Promise<void> {}

  async #ask(words: readonly string[], decoder: number): Promise<unknown> {
    try {
      return await this.#client.customCommand(words, { decoder })
    } catch (error) {
      // The client tells in no other way that a connection has ended.
      if (!isReply(error)) {
        this.#known.forget()
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
