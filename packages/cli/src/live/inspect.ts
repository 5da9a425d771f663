import type { Inspection, Verdict } from '@sluice/core'
import type { Command } from 'commander'
import { type Done, type ExitCode, exitCode } from '../exit-code.ts'
import { printJson } from '../print.ts'
import { amountText } from './amount.ts'
import { addConnection, type ConnectionFlags, connectionHelp } from './connection.ts'
import { keyText, readTypedKey } from './keys.ts'
import { inspected, limitersFor, placeName, type Sight, sayLeft, sayOwnLists } from './limiters.ts'
import { entryLines, listsFor, meeting } from './listed.ts'
import { printColumns } from './print-columns.ts'
import { inSession, noProcesses } from './session.ts'
import { spanText } from './times.ts'

interface Flags extends ConnectionFlags {
  readonly limiter?: string
}

const examples = `
Examples:
  $ sluice inspect 203.0.113.9
  $ sluice inspect '["org-7","alice"]' --limiter tickets
`

/** `sluice inspect KEY` */
export function addInspect(program: Command, done: Done): void {
  addConnection(program.command('inspect'))
    .description('Shows what running services know of a key; takes nothing.')
    .argument('<key>', 'an address, a name, or a list as JSON')
    .option('--limiter <name>', 'only this limiter (default: all)')
    .addHelpText('after', examples + connectionHelp)
    .action(async (key: string, flags: Flags) => done(await inspect(key, flags)))
}

async function inspect(text: string, flags: Flags): Promise<ExitCode> {
  const typed = readTypedKey(text)
  const { key } = typed
  return inSession(flags, async (session) => {
    const entries = await session.reader.lists.entries()
    const rebuilt = await limitersFor(session, flags.limiter, await listsFor(typed, entries))
    if (rebuilt === undefined) return noProcesses()
    try {
      const sights = await inspected(rebuilt, typed)
      const lists = await meeting(typed, entries, flags.limiter)
      if (flags.json) printJson({ key, limiters: sights.map(plain), lists, left: rebuilt.left })
      else await print(keyText(key), sights)
      if (!flags.json) for (const entry of lists) for (const line of entryLines(entry)) console.log(line)
      sayLeft(rebuilt)
      sayOwnLists(rebuilt)
      return sights.length === 0 ? exitCode.problems : exitCode.fine
    } finally {
      await rebuilt.close()
    }
  })
}

function plain({ limiter, key, policies }: Sight) {
  return { limiter: limiter.name, key, policies: Object.fromEntries(policies) }
}

async function print(key: string, sights: readonly Sight[]): Promise<void> {
  console.log(key)
  const rows = sights.flatMap(({ limiter, policies }) =>
    policies.map(([name, seen]) => [
      placeName(limiter, name),
      amountText(Math.max(0, seen.limit - seen.remaining)),
      String(seen.limit),
      stateOf(seen),
    ]),
  )
  await printColumns(['LIMITER', 'USED', 'LIMIT', 'NOW'], rows)
}

function stateOf(seen: Inspection): string {
  const { allowed, listed, shadow } = seen
  if (listed !== undefined) return `${listWords[listed.list]} by a list, for ${spanText(listed.endsInMs)}`
  if (shadow !== undefined) return `allowed, in shadow mode; else ${refusalWords(seen, shadow)}`
  return allowed ? 'allowed' : refusalWords(seen, seen)
}

const listWords = { deny: 'denied', block: 'refused', allow: 'allowed' } as const

function refusalWords({ banned, blockedMs }: Inspection, { retryAfterMs }: Verdict): string {
  const what = banned ? 'banned' : blockedMs === null ? 'refused' : 'blocked'
  return retryAfterMs === null
    ? `${what}, waiting does not help`
    : `${what}, again in ${spanText(retryAfterMs)}`
}
