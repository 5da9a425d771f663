import type { Limiter } from '@sluice/core'
import type { StoredEntry } from '@sluice/operations'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { oneLine } from '../one-line.ts'
import { printJson } from '../print.ts'
import type { ConnectionFlags } from './connection.ts'
import { keyText, shellWord, type TypedKey } from './keys.ts'
import { entryLines } from './listed.ts'
import { clockText } from './times.ts'

export interface Flags extends ConnectionFlags {
  readonly limiter?: string
  readonly why?: string
  readonly by?: string
  readonly dryRun?: true
  readonly yes?: true
}

/** What is to be done to a key. */
export interface Plan {
  readonly act: 'block' | 'unblock' | 'reset'
  readonly typed: TypedKey
  readonly forMs?: number
  readonly flags: Flags
}

const words = { block: 'Blocked', unblock: 'Unblocked', reset: 'Reset' }

/** What a command has found and done. */
interface Done {
  readonly limiters: readonly Limiter[]
  /** The entries of lists that the key meets: they apply whatever is done to it. */
  readonly lists: readonly StoredEntry[]
  readonly more: string | undefined
}

export function nothing({ act, typed: { key }, flags }: Plan, lists: readonly StoredEntry[]): ExitCode {
  const text = act === 'unblock' ? `${keyText(key)} is not blocked: nothing was done.` : 'Nothing was done.'
  if (flags.json) printJson({ act, key, limiters: [], lists, done: false })
  else console.log([text, ...listLines(lists)].join('\n'))
  return exitCode.problems
}

export function questionOf({ act, typed: { key } }: Plan, limiters: readonly Limiter[]): string {
  const what = act === 'reset' ? `Forget what ${keyText(key)} has used` : `End the ban of ${keyText(key)}`
  return `${what} in ${namesOf(limiters)}? This cannot be undone.`
}

export function undoOf({ act, typed: { key }, flags: { limiter } }: Plan): string | undefined {
  if (act !== 'block') return undefined
  const only = limiter === undefined ? '' : ` --limiter ${shellWord(oneLine(limiter))}`
  return `Undo: sluice unblock ${shellWord(keyText(key))}${only}`
}

export function say({ act, typed: { key }, forMs, flags }: Plan, { limiters, lists, more }: Done): ExitCode {
  const done = flags.dryRun !== true
  const names = [...new Set(limiters.map(({ name }) => name))]
  const until = forMs === undefined ? '' : ` until ${clockText(Date.now() + forMs)}`
  if (flags.json) printJson({ act, key, limiters: names, lists, done, ...(forMs !== undefined && { forMs }) })
  else {
    console.log(`${done ? words[act] : `Would ${act}`} ${keyText(key)} in ${namesOf(limiters)}${until}.`)
    for (const line of [...(more === undefined ? [] : [more]), ...listLines(lists)]) console.log(line)
  }
  return exitCode.fine
}

function listLines(lists: readonly StoredEntry[]): readonly string[] {
  return lists.flatMap(entryLines)
}

function namesOf(limiters: readonly Limiter[]): string {
  const names = [...new Set(limiters.map(({ name }) => oneLine(name)))]
  return names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`
}
