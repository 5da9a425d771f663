/** What the shell is told. */
export const exitCode = {
  fine: 0,
  /** The file has problems, or the server has gone away. */
  problems: 1,
  /** The command line cannot be meant, or names a file that cannot be read. */
  usage: 2,
  /** Ctrl-C. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** What a command does with its answer. */
export type Done = (code: ExitCode) => void

/** One sentence for who has typed the command: it cannot be meant. */
export class UsageError extends Error {}
