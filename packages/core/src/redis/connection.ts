import { sha1 } from '../hashes.ts'
import { nodeCrypto } from '../runtime.ts'
import type { Warning } from '../store.ts'
import { loadLua } from './lua.ts'

export type Argument = string | number

/** A script's text and the digest that a server knows it by; hashed once. */
export interface Script {
  readonly text: string
  readonly sha: string
  /** Whether it answers bytes: texts of its reply then come as Uint8Array, such as a Buffer. */
  readonly bytes: boolean
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

/** The small seam over Redis clients: run a script, send a command, close. Each kind of client has one short file. */
export interface Connection {
  /** Whether nothing is shared between calls: each question goes by itself, with timers of its own. @default false */
  readonly apart?: true | undefined
  /** Runs a script by its digest; a server that does not know it is sent the text, once. Errors are the client's own: see `withoutKeys`. */
  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown>
  /** The same without a promise: `listener` gets the reply, not before this returns. Left out: `run` is used. */
  runFor?(script: Script, call: KeysAndArgs, listener: ReplyListener): void
  /** Sends a command to the server that holds `key`; left out: to any. */
  send(command: string, args: readonly Argument[], key?: string): Promise<unknown>
  /** Of a cluster only: sends to every master, or to none. May never settle where a master has just gone: the caller sets a deadline. */
  sendToAll?(command: string, args: readonly Argument[]): Promise<readonly unknown[]>
  /** Of a cluster only, where the keys of one call must lie in one slot: names the server that holds a key. */
  nodeOf?(key: string): string
  /** Of a cluster only: the servers' names in the order in which `sendToAll` asks them. */
  nodeNames?(): readonly string[]
  /** false: the caller's own client was not opened yet. `asked`: there is a question, so a lazy client opens now. @default true */
  readonly willConnect?: ((asked: boolean) => boolean) | undefined
  /** Settings that keep a caller's own client from recovering. */
  readonly warnings?: readonly Warning[] | undefined
  /** Called whenever a connection ends: the server may come back without its data. */
  whenLost?(lost: () => void): void
  /** Ends only a connection that was made here. */
  close(): Promise<void>
}

/** Runs a script for a listener, over a connection of any kind. */
export function runFor(
  connection: Connection,
  script: Script,
  call: KeysAndArgs,
  listener: ReplyListener,
): void {
  if (connection.runFor !== undefined) connection.runFor(script, call, listener)
  else passOn(connection.run(script, call.keys, call.args), listener)
}

/** Sends a command to every master of a cluster, or to the one server. */
export async function sendToAll(
  connection: Connection,
  command: string,
  args: readonly Argument[],
): Promise<readonly unknown[]> {
  return connection.sendToAll?.(command, args) ?? [await connection.send(command, args)]
}

export function passOn(reply: Promise<unknown>, listener: ReplyListener): void {
  reply.then(
    (value) => listener.heard(value),
    (error: unknown) => listener.failed(error),
  )
}

/** The name by which a server knows a script: by the runtime's own means, if it has any. */
function sha1Hex(text: string): string {
  return nodeCrypto()?.createHash('sha1').update(text).digest('hex') ?? sha1(text)
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

/** A connection of which all calls are commands that consist of texts. */
export abstract class CommandConnection implements Connection, ScriptSender<KeysAndArgs> {
  protected readonly known: KnownScripts = new KnownScripts()

  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.known.run(this, script, { keys, args })
  }

  sendScript(script: Script, call: KeysAndArgs, form: ScriptForm): Promise<unknown> {
    return this.ask(scriptCommand(script, call, form), script.bytes)
  }

  send(command: string, args: readonly Argument[]): Promise<unknown> {
    return this.ask([command, ...args.map(String)], false)
  }

  /** `bytes`: whether texts of the reply are wanted as bytes. */
  protected abstract ask(words: readonly string[], bytes: boolean): Promise<unknown>
  abstract close(): Promise<void>
}

/** What must be known of a connection before its code is loaded. */
export type KnownAhead = Pick<Connection, 'apart' | 'warnings' | 'willConnect'>

/**
 * A connection to one server. Its code and the texts of the scripts begin to load when it is made; calls that come before they are
 * there wait, and keep their order.
 */
export class LoadedConnection implements Connection {
  readonly apart: true | undefined
  readonly warnings: readonly Warning[] | undefined
  readonly willConnect: Connection['willConnect']
  protected readonly loading: Promise<Connection>
  /** Set by the first call that has waited, so that later calls do not overtake those that still wait. */
  protected loaded: Connection | undefined
  #lost: (() => void) | undefined

  constructor(load: () => Promise<Connection>, { apart, warnings, willConnect }: KnownAhead = {}) {
    this.apart = apart
    this.warnings = warnings
    this.willConnect = willConnect
    this.loading = this.#begin(load)
    // Not an unhandled rejection: callers get the error when they ask.
    this.loading.catch(() => {})
  }

  async #begin(load: () => Promise<Connection>): Promise<Connection> {
    const [connection] = await Promise.all([load(), loadLua()])
    connection.whenLost?.(() => this.#lost?.())
    return connection
  }

  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    if (this.loaded !== undefined) return this.loaded.run(script, keys, args)
    return this.#runLater(script, keys, args)
  }

  runFor(script: Script, call: KeysAndArgs, listener: ReplyListener): void {
    if (this.loaded !== undefined) runFor(this.loaded, script, call, listener)
    else passOn(this.#runLater(script, call.keys, call.args), listener)
  }

  async #runLater(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    this.loaded = await this.loading
    return this.loaded.run(script, keys, args)
  }

  async send(command: string, args: readonly Argument[], key?: string): Promise<unknown> {
    this.loaded ??= await this.loading
    return this.loaded.send(command, args, key)
  }

  whenLost(lost: () => void): void {
    this.#lost = lost
  }

  /** A connection that could not be loaded has nothing to close. */
  async close(): Promise<void> {
    const connection = await this.loading.catch(() => undefined)
    await connection?.close()
  }
}

/** The same for a connection to the servers of a cluster. */
export class LoadedCluster extends LoadedConnection {
  async sendToAll(command: string, args: readonly Argument[]): Promise<readonly unknown[]> {
    this.loaded ??= await this.loading
    return sendToAll(this.loaded, command, args)
  }

  nodeOf(key: string): string {
    return this.loaded?.nodeOf?.(key) ?? ''
  }

  nodeNames(): readonly string[] {
    return this.loaded?.nodeNames?.() ?? []
  }
}
