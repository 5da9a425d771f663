import type { Warning } from '../store.ts'
import type { Connection } from './connection.ts'
import type { Argument, Script } from './script.ts'

/** What must be known of a connection before its code is there. */
export type KnownAhead = Pick<Connection, 'apart' | 'warnings' | 'willConnect'>

/** A connection to one server, whose code is loaded when it is made. What is asked before that waits, and keeps its order. */
export class LoadedConnection implements Connection {
  readonly apart: true | undefined
  readonly warnings: readonly Warning[] | undefined
  readonly #willConnect: Connection['willConnect']
  protected readonly loading: Promise<Connection>
  /** Set by the first call that has waited, so that later calls do not overtake those that still wait. */
  protected loaded: Connection | undefined
  #lost: (() => void) | undefined

  constructor(load: () => Promise<Connection>, { apart, warnings, willConnect }: KnownAhead = {}) {
    this.apart = apart
    this.warnings = warnings
    this.#willConnect = willConnect
    this.loading = this.#begin(load)
    // Not an unhandled rejection: callers get the error when they ask.
    this.loading.catch(() => {})
  }

  async #begin(load: () => Promise<Connection>): Promise<Connection> {
    const connection = await load()
    connection.whenLost?.(() => this.#lost?.())
    return connection
  }

  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    if (this.loaded !== undefined) return this.loaded.run(script, keys, args)
    return this.#runLater(script, keys, args)
  }

  async #runLater(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    this.loaded = await this.loading
    return this.loaded.run(script, keys, args)
  }

  async send(command: string, args: readonly Argument[], key?: string): Promise<unknown> {
    this.loaded ??= await this.loading
    return this.loaded.send(command, args, key)
  }

  willConnect(asked: boolean): boolean {
    return this.#willConnect?.(asked) ?? true
  }

  whenLost(lost: () => void): void {
    this.#lost = lost
  }

  /** What could not be loaded has nothing to close. */
  async close(): Promise<void> {
    const connection = await this.loading.catch(() => undefined)
    await connection?.close()
  }
}

/** The same to the servers of a cluster. */
export class LoadedCluster extends LoadedConnection {
  async sendToAll(command: string, args: readonly Argument[]): Promise<readonly unknown[]> {
    this.loaded ??= await this.loading
    return this.loaded.sendToAll?.(command, args) ?? [await this.loaded.send(command, args)]
  }

  nodeOf(key: string): string {
    return this.loaded?.nodeOf?.(key) ?? ''
  }

  nodeNames(): readonly string[] {
    return this.loaded?.nodeNames?.() ?? []
  }
}
