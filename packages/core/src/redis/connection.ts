import type { Warning } from '../store.ts'
import {
  type Argument,
  type KeysAndArgs,
  KnownScripts,
  type ReplyListener,
  type Script,
  type ScriptForm,
  type ScriptSender,
  scriptCommand,
} from './evalsha.ts'
import { loadLua } from './lua.ts'

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
