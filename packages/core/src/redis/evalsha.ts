import { sha1 } from '../hashes.ts'
import { nodeCrypto } from '../runtime.ts'

export type Argument = string | number

/** The name by which a server knows a script: by the runtime's own means, if it has any. */
function sha1Hex(text: string): string {
  return nodeCrypto()?.createHash('sha1').update(text).digest('hex') ?? sha1(text)
}

/** A script's text and the digest that a server knows it by; hashed once. */
export interface Script {
  readonly text: string
  readonly sha: string
  /** Whether it answers bytes: texts of its reply then come as Uint8Array, such as a Buffer. */
  readonly bytes: boolean
}

export function scriptOf(text: string, { bytes = false }: { readonly bytes?: boolean } = {}): Script {
  return Object.freeze({ text, sha: sha1Hex(text), bytes })
}

/** A script whose text is joined and hashed when it is first sent: its pieces are loaded with the connection. */
export class LaterScript implements Script {
  readonly bytes: boolean
  readonly #join: () => string
  #joined: Script | undefined

  constructor(join: () => string, { bytes = false }: { readonly bytes?: boolean } = {}) {
    this.bytes = bytes
    this.#join = join
  }

  get text(): string {
    return this.#script().text
  }

  get sha(): string {
    return this.#script().sha
  }

  #script(): Script {
    this.#joined ??= scriptOf(this.#join(), this)
    return this.#joined
  }
}

/** The keys and arguments that go with a script. */
export interface KeysAndArgs {
  readonly keys: readonly string[]
  readonly args: readonly Argument[]
}

/** Gets what a script has answered, or why there is no answer. Never throws. */
export interface ReplyListener {
  heard(reply: unknown): void
  failed(error: unknown): void
}

/** How a server is to find a script: in the call, or among those that it has. */
export type ScriptForm = 'text' | 'digest'

export interface ScriptSender<Call> {
  sendScript(script: Script, call: Call, form: ScriptForm): Promise<unknown>
}

/** Whether the server does not know the script. A retry after any other error could charge twice. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

/**
 * Which scripts a server knows by their digests. A script that it may not know goes as text at once: refused and sent again, it would
 * run behind calls that were made after it. The calls of one connection run in their order, so a text is sent once.
 */
export class KnownScripts {
  #known = new Set<string>()

  /** Forgets all scripts: the server is another one, or has lost them. */
  forget(): void {
    this.#known = new Set()
  }

  /** The digests that the server knows now. Once it has lost them this is another object. */
  get known(): ReadonlySet<string> {
    return this.#known
  }

  run<Call>(sender: ScriptSender<Call>, script: Script, call: Call): Promise<unknown> {
    const known = this.#known
    if (!known.has(script.sha)) {
      known.add(script.sha)
      return sender.sendScript(script, call, 'text')
    }
    return sender.sendScript(script, call, 'digest').catch((error: unknown) => {
      if (!isUnknownScript(error)) throw error
      this.lost(script, known)
      return sender.sendScript(script, call, 'text')
    })
  }

  /** The server does not know a script that was sent by digest when it was in `known`: from now on it goes as text. */
  lost({ sha }: Script, known: ReadonlySet<string>): void {
    // The server has lost the other scripts too: they go as text from now on. Another call of that time may have noted so already.
    if (known === this.#known) this.forget()
    this.#known.add(sha)
  }
}

/** A call of a script as one command, for clients that take any command: all of it is text. */
export function scriptCommand(
  { text, sha }: Script,
  { keys, args }: KeysAndArgs,
  form: ScriptForm,
): string[] {
  const named = form === 'text' ? ['EVAL', text] : ['EVALSHA', sha]
  return [...named, String(keys.length), ...keys, ...args.map(String)]
}
