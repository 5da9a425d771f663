import type { Script } from './script.ts'

export type Argument = string | number

/** The small seam over Redis clients: run a script, send a command, close. Each client of a kind has one short file. */
export interface Connection {
  /** By digest; a server that does not know the script is sent its text, once. Any other error goes up unchanged. */
  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown>
  send(command: string, args: readonly Argument[]): Promise<unknown>
  /** Ends only a connection that was made here. */
  close(): Promise<void>
}

/** A retry after any other error could charge twice. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
