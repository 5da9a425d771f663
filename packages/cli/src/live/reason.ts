import { hostname, userInfo } from 'node:os'
import type { Command } from 'commander'
import { UsageError } from '../exit-code.ts'

/** Options of each command that changes something. */
export interface ActFlags {
  readonly why?: string
  readonly by?: string
  readonly dryRun?: true
}

export function addActFlags(command: Command): Command {
  return command
    .option('--why <text>', 'why, for the log')
    .option('--by <name>', 'who does it, for the log (default: your user name)')
    .option('--dry-run', 'only say what would be done')
}

/** The reason and the name for the log. */
export function reasonOf({ why, by = userName() }: ActFlags): { readonly why?: string; readonly by: string } {
  for (const [flag, text = ''] of [
    ['--why', why],
    ['--by', by],
  ] as const)
    if (text.length > 500)
      throw new UsageError(`${flag}: expected at most 500 characters, got ${text.length}`)
  return { by, ...(why !== undefined && { why }) }
}

function userName(): string {
  const { SUDO_USER, USER, LOGNAME } = process.env
  return SUDO_USER ?? USER ?? LOGNAME ?? safeUser() ?? hostname()
}

/** The user's name; undefined in a container whose user has none. */
function safeUser(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}
