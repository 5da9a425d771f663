/** Exit codes of the process. */
export const exitCode = {
  fine: 0,
  /** The file has problems, the server has gone away, or the output cannot be written. */
  problems: 1,
  /** Invalid command line, or one that names a file that cannot be read. */
  usage: 2,
  /** Redis does not answer. */
  away: 3,
  /** Ctrl-C. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** Called by a command with its exit code. */
export type Done = (code: ExitCode) => void

/** Invalid command line; the message is one sentence for the user. */
export class UsageError extends Error {}
