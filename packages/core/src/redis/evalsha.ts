import { sha1Hex } from '../sha1.ts'

export type Argument = string | number

/** A script's text and the digest that a server knows it by; hashed once. */
export interface Script {
  readonly text: string
  readonly sha: string
  /** It answers bytes: what else is a text comes as a Uint8Array, which a Buffer is. */
  readonly bytes: boolean
}

export function scriptOf(text: string, { bytes = false }: { readonly bytes?: boolean } = {}): Script {
  return Object.freeze({ text, sha: sha1Hex(text), bytes })
}

/** One whose text is joined and hashed when it is first sent: what it is joined of comes with the connection. */
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

/** What goes with a script. */
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

/** Sends a call of a script in one of its forms. */
export interface ScriptSender<Call> {
  sendScript(script: Script, call: Call, form: ScriptForm): Promise<unknown>
}

/** A retry after any other error could charge twice. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

/**
 * Which scripts a server knows by their digests. One that it may not know goes as text at once: refused and sent again it would be run
 * behind what was asked after it. What is sent on one connection is run in its order, so a text is sent once.
 */
export class KnownScripts {
  #known = new Set<string>()

  /** The server is another, or has lost what it knew. */
  forget(): void {
    this.#known = new Set()
  }

  /** What it knows now: another object once it has lost it. */
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

  /** A script that was sent by digest while all this was known is unknown, and goes as text now. */
  lost({ sha }: Script, known: ReadonlySet<string>): void {
    // It has lost the others too: those that are sent from now on go as text. Others of this call's time have said so already.
    if (known === this.#known) this.forget()
    this.#known.add(sha)
  }
}

/** The same as one command, for clients that take any: only its texts go over the wire. */
export function scriptCommand(
  { text, sha }: Script,
  { keys, args }: KeysAndArgs,
  form: ScriptForm,
): string[] {
  const named = form === 'text' ? ['EVAL', text] : ['EVALSHA', sha]
  return [...named, String(keys.length), ...keys, ...args.map(String)]
}
