import type { Act } from '@sluice/core'
import type { Command } from 'commander'
import { type Done, type ExitCode, exitCode, UsageError } from '../exit-code.ts'
import { printJson } from '../print.ts'
import { addConnection, type ConnectionFlags, connectionHelp } from './connection.ts'
import { keyText } from './keys.ts'
import { printColumns } from './print-columns.ts'
import { inSession } from './session.ts'
import { clockText, spanText } from './times.ts'

interface Flags extends ConnectionFlags {
  readonly last: string
}

/** `sluice acts` */
export function addActLog(program: Command, done: Done): void {
  addConnection(program.command('acts'))
    .description('Lists what was blocked, unblocked, reset and set by hand, the newest first.')
    .option('--last <count>', 'how many, 1 to 1000', '20')
    .addHelpText('after', `\nExample:\n  $ sluice acts --last 5\n${connectionHelp}`)
    .action(async (flags: Flags) => done(await list(flags)))
}

async function list(flags: Flags): Promise<ExitCode> {
  const last = Number(flags.last)
  if (!(Number.isInteger(last) && last >= 1 && last <= 1000))
    throw new UsageError('--last: expected a whole number from 1 to 1000')
  return inSession(flags, async ({ reader }) => {
    const acts = await reader.acts(last)
    if (flags.json) printJson(acts)
    else if (acts.length === 0) console.log('Nothing was done by hand.')
    else await printColumns(head, acts.map(actRow))
    return acts.length === 0 ? exitCode.problems : exitCode.fine
  })
}

const head = ['WHEN', 'WHAT', 'KEY', 'LIMITER', 'BY', 'WHY']

export function actRow({
  atMs,
  act,
  key,
  limiter,
  limiters,
  forMs,
  to,
  by = '',
  why = '',
}: Act): readonly string[] {
  const changed = to === undefined ? act : `${act} ${to}`
  const what = forMs === undefined ? changed : `${changed} ${spanText(forMs)}`
  const all = limiters === undefined ? 'all' : `all ${limiters.toLocaleString('en')}`
  return [clockText(atMs), what, keyText(key), limiter === '' ? all : limiter, by, why]
}
