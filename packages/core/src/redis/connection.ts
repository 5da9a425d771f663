import { isStoreError, type StoreError, storeError } from '../errors.ts'
import { firstFormat, stateFormat } from '../key.ts'
import type { Warning } from '../store.ts'
import type { Argument, Hearer, KeysAndArgs, Script } from './script.ts'

/** The small seam over Redis clients: run a script, send a command, close. Each kind of client has one short file. */
export interface Connection {
  /** Nothing is shared between calls: each question goes by itself, with timers of its own. @default false */
  readonly apart?: true | undefined
  /** By digest; a server that does not know the script is sent its text, once. Errors are the client's own: see `withoutKeys`. */
  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown>
  /** The same without a promise: `hearer` gets the reply, not before this returns. Left out: by `run`. */
  runFor?(script: Script, call: KeysAndArgs, hearer: Hearer): void
  /** To the server that holds `key`; left out: to any. */
  send(command: string, args: readonly Argument[], key?: string): Promise<unknown>
  /** Of a cluster only: to every master, or to none. Where one has gone just now it may never be answered: a deadline is the caller's. */
  sendToAll?(command: string, args: readonly Argument[]): Promise<readonly unknown[]>
  /** Of a cluster only, where the keys of one call must lie in one slot: names the server that holds a key. */
  nodeOf?(key: string): string
  /** Of a cluster only: the servers' names in the order in which `sendToAll` asks them. */
  nodeNames?(): readonly string[]
  /** false: a caller's own client that is still to be opened; `asked`: now is the time to. @default true */
  willConnect?(asked: boolean): boolean
  /** Settings that keep a caller's own client from recovering. */
  readonly warnings?: readonly Warning[] | undefined
  /** Called whenever a connection ends: the server may come back without its data. */
  whenLost?(lost: () => void): void
  /** Ends only a connection that was made here. */
  close(): Promise<void>
}

/** The same over a connection of any kind. */
export function runFor(connection: Connection, script: Script, call: KeysAndArgs, hearer: Hearer): void {
  if (connection.runFor !== undefined) connection.runFor(script, call, hearer)
  else tellLater(connection.run(script, call.keys, call.args), hearer)
}

/** Passes on what comes of a promise. */
export function tellLater(reply: Promise<unknown>, hearer: Hearer): void {
  reply.then(
    (value) => hearer.heard(value),
    (error: unknown) => hearer.failed(error),
  )
}

function startsWith(error: unknown, word: string): boolean {
  return error instanceof Error && error.message.startsWith(word)
}

/** The server is a replica, which takes no writes. Redis 6 says so within the error of a script. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && /(^|-)READONLY /.test(error.message)
}

/** Keys that a cluster does not hold in one place: none was touched, and smaller calls will do. */
export function isTooWide(error: unknown): boolean {
  return isCrossSlot(error) || startsWith(error, 'TRYAGAIN')
}

export function isCrossSlot(error: unknown): boolean {
  return startsWith(error, 'CROSSSLOT')
}

/** Where else a cluster holds the key: nothing was run. */
export interface Redirection {
  /** The slot is on its way there (ASK), and has not moved as a whole (MOVED). */
  readonly asking: boolean
  readonly address: string
}

/** undefined: the error is another one. */
export function redirectionOf(error: unknown): Redirection | undefined {
  const [word, , address = ''] = error instanceof Error ? error.message.split(' ') : []
  return word === 'MOVED' || word === 'ASK' ? { asking: word === 'ASK', address } : undefined
}

/** Where a server begins to repeat the arguments of a call, or one of its keys: every key of ours has the mark of its format. */
const repeated = [', with args beginning with: ', stateFormat, firstFormat]

/**
 * A client's error as it goes up: what it says, without keys. They stand in what servers answer, and ioredis keeps the whole command
 * in its errors; an error may end up in a log, causes and all, so nothing but the cut text is taken over.
 */
export function withoutKeys(error: unknown): StoreError {
  if (isStoreError(error)) return error
  const said = error instanceof Error ? error.message || error.name : String(error)
  let end = said.length
  for (const mark of repeated) {
    const at = said.indexOf(mark)
    if (at >= 0 && at < end) end = at
  }
  return storeError('redis', said.slice(0, end) || 'the server has refused')
}
