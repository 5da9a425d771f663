import { canonicalAddress, readEntry } from '@sluice/http/internal'
import type { RunningProcess, StoredEntry } from '@sluice/operations'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { oneLine } from '../one-line.ts'
import { printJson } from '../print.ts'
import type { ConnectionFlags } from './connection.ts'
import { keyText, limiterFlag, shellWord, type TypedKey } from './keys.ts'
import { type Sight, wereSeen } from './limiters.ts'
import { entryLines } from './listed.ts'
import type { ActFlags } from './reason.ts'
import { clockText } from './times.ts'

export interface Flags extends ConnectionFlags, ActFlags {
  readonly limiter?: string
  readonly yes?: true
}

/** An act on a key. */
export interface Plan {
  readonly act: 'block' | 'unblock' | 'reset'
  readonly typed: TypedKey
  /** The time as it was typed. */
  readonly time?: string
  readonly forMs?: number
  readonly flags: Flags
}

const words = { block: 'Blocked', unblock: 'Unblocked', reset: 'Reset' }

/** What a command has found out about a key. */
interface Found {
  /** The entries of lists that apply to the key, whatever is done to it. */
  readonly lists: readonly StoredEntry[]
  /** What each limiter that the command is about knows of the key. */
  readonly sights: readonly Sight[]
}

export function nothing(plan: Plan, { lists, sights }: Found): ExitCode {
  const { act, typed, flags } = plan
  const reasons = act === 'block' && sights.every(({ foreign }) => foreign) ? foreignLines(plan, sights) : []
  const text =
    act === 'unblock' ? `${keyText(typed.key)} is not blocked: nothing was done.` : 'Nothing was done.'
  if (flags.json) printJson({ act, key: typed.key, limiters: [], lists, done: false, why: reasons[0] })
  else console.log([...reasons, text, ...listLines(lists)].join('\n'))
  return exitCode.problems
}

/** Why a block would keep no client out, and which command would. */
function foreignLines({ typed: { text, key }, flags, time }: Plan, sights: readonly Sight[]): string[] {
  const why = flags.why === undefined ? '' : ` --why ${shellWord(oneLine(flags.why))}`
  const behind = `${time ?? ''}${limiterFlag(flags.limiter)}${why}`
  return [
    `No request has the key ${keyText(key)} in ${namesOf(sights)}: keys there are addresses of clients.`,
    ...helpfulLines(text).map((line) => `${line} ${behind}`),
  ]
}

/** What to type instead of an address as logs write it, with a port or in brackets, or of a network, which only lists know. */
function helpfulLines(text: string): readonly string[] {
  const address = canonicalAddress(text)
  if (address !== undefined) return [`This refuses that client: sluice block ${shellWord(address)}`]
  return isNetwork(text) ? [`This refuses the whole network: sluice deny ${shellWord(text)}`] : []
}

function isNetwork(text: string): boolean {
  try {
    return readEntry({ list: 'deny', address: text }, '').network !== undefined
  } catch {
    return false
  }
}

/** Reports a key for which nothing is counted, which may be mistyped. An address may be blocked before its first request. */
export function sayUnknown(
  { act, typed: { key, address } }: Plan,
  sights: readonly Sight[],
  processes: readonly RunningProcess[],
): void {
  const foreign = sights.filter((sight) => sight.foreign)
  if (act === 'block' && foreign.length > 0)
    console.error(`not included: ${namesOf(foreign)}: keys there are addresses of clients`)
  if (address !== undefined || sights.some(({ known }) => known) || wereSeen(processes, sights)) return
  const [name = ''] = namesOf(sights).split(', ')
  console.error(
    `warning: nothing is counted for the key ${keyText(key)} at present. Is it spelled as in ${name}?`,
  )
}

export function questionOf({ act, typed: { key } }: Plan, sights: readonly Sight[]): string {
  const what = act === 'reset' ? `Forget what ${keyText(key)} has used` : `End the ban of ${keyText(key)}`
  return `${what} in ${namesOf(sights)}? This cannot be undone.`
}

export function undoOf({ act, typed: { key, address }, flags: { limiter } }: Plan): string | undefined {
  if (act !== 'block') return undefined
  return `Undo: sluice unblock ${shellWord(address ?? keyText(key))}${limiterFlag(limiter)}`
}

export function say(
  { act, typed: { key }, forMs, flags }: Plan,
  { sights, lists, more }: Found & { readonly more: string | undefined },
): ExitCode {
  const done = flags.dryRun !== true
  const names = [...new Set(sights.map(({ limiter }) => limiter.name))]
  const until = forMs === undefined ? '' : ` until ${clockText(Date.now() + forMs)}`
  if (flags.json) printJson({ act, key, limiters: names, lists, done, ...(forMs !== undefined && { forMs }) })
  else {
    const keys = [...new Set(sights.map((sight) => keyText(sight.key)))].join(', ')
    console.log(`${done ? words[act] : `Would ${act}`} ${keys} in ${namesOf(sights)}${until}.`)
    for (const line of [...(more === undefined ? [] : [more]), ...listLines(lists)]) console.log(line)
  }
  return exitCode.fine
}

function listLines(lists: readonly StoredEntry[]): readonly string[] {
  return lists.flatMap(entryLines)
}

function namesOf(sights: readonly Sight[]): string {
  const names = [...new Set(sights.map(({ limiter }) => oneLine(limiter.name)))]
  return names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`
}
