import type { ChangedLimit, RunningProcess } from '@sluice/operations'
import type { Command } from 'commander'
import { type Done, type ExitCode, exitCode } from '../exit-code.ts'
import { oneLine } from '../one-line.ts'
import { printJson } from '../print.ts'
import { addConnection, type ConnectionFlags, connectionHelp } from './connection.ts'
import { readTime } from './duration.ts'
import { shellWord } from './keys.ts'
import { changedRules, knownLimits, lackingLines, limitNamed, optionsOf } from './limits-known.ts'
import { printColumns } from './print-columns.ts'
import { type ActFlags, addActFlags, reasonOf } from './reason.ts'
import { inSession } from './session.ts'
import { spanText } from './times.ts'

interface Flags extends ConnectionFlags, ActFlags {
  readonly for?: string
}

const example =
  '\nExample:\n  $ sluice change free count=50 --for 2h --why "incident 12"\n  $ sluice restore free\n'

const oneKey = `
It changes the limit of all keys. One key is let pass for a time, uncounted, by sluice allow KEY TIME, and begins with
a full limit again after sluice reset KEY.
`

function addAct(program: Command, name: string, about: string): Command {
  const command = addConnection(program.command(name))
    .description(about)
    .argument('<name>', 'the name that the limit has in ops.limits({ … })')
  return addActFlags(command).addHelpText('after', example + connectionHelp)
}

/** `sluice change`, `restore` and `limits` */
export function addLimits(program: Command, done: Done): void {
  addAct(program, 'change', 'Changes a limit in every process. Undone by sluice restore.')
    .argument('<options...>', 'what takes the place of its own: count=50 period=1m')
    .option('--for <time>', 'how long, such as 30m or 2h; at most 365d (default: until it is restored)')
    .addHelpText('after', oneKey)
    .action(async (name: string, options: string[], flags: Flags) => done(await change(name, options, flags)))
  addAct(program, 'restore', 'Gives a limit its own numbers again in every process.').action(
    async (name: string, flags: Flags) => done(await restore(name, flags)),
  )
  addConnection(program.command('limits'))
    .description('Shows the limits that can be changed, and how they are changed now.')
    .addHelpText('after', `\nExample:\n  $ sluice limits\n${connectionHelp}`)
    .action(async (flags: Flags) => done(await show(flags)))
}

async function change(name: string, words: readonly string[], flags: Flags): Promise<ExitCode> {
  const options = optionsOf(words)
  const forMs = flags.for === undefined ? undefined : readTime(flags.for)
  const reason = reasonOf(flags)
  return inSession(flags, async ({ reader }) => {
    const processes = await reader.processes()
    const limit = limitNamed(processes, name)
    if (typeof limit === 'string') return fail(limit)
    const { problem, rules } = changedRules(limit, options)
    if (problem !== undefined) return fail(problem)
    const time = forMs === undefined ? {} : { for: `${forMs}ms` as const }
    if (!flags.dryRun) await reader.limits.set(name, options, { ...time, ...reason })
    for (const line of lackingLines(processes, name)) console.error(`warning: ${line}`)
    const until = forMs === undefined ? 'until it is restored' : `for ${spanText(forMs)}`
    const what = `${oneLine(name)} ${until}: ${rules.join(' or ')} (its own: ${limit.rules.join(' or ')}).`
    const more = flags.dryRun
      ? 'Dry run: nothing was done.'
      : `Undo: sluice restore ${shellWord(oneLine(name))}`
    if (flags.json) printJson({ name, options, forMs: forMs ?? null, done: !flags.dryRun })
    else console.log(`${flags.dryRun ? 'Would change' : 'Changed'} ${what}\n${more}`)
    return exitCode.fine
  })
}

async function restore(name: string, flags: Flags): Promise<ExitCode> {
  const reason = reasonOf(flags)
  return inSession(flags, async ({ reader }) => {
    const found = flags.dryRun
      ? (await reader.limits.changed()).some((changed) => changed.name === name)
      : await reader.limits.restore(name, reason)
    const known = limitNamed(await reader.processes(), name)
    const rule = typeof known === 'string' ? '' : `: ${known.rules.join(' or ')}`
    const words = flags.dryRun ? 'Would restore' : 'Restored'
    const text = found
      ? `${words} ${oneLine(name)}${rule}.`
      : `${oneLine(name)} is not changed: nothing was done.`
    if (flags.json) printJson({ name, done: found && !flags.dryRun })
    else console.log(text)
    return found ? exitCode.fine : exitCode.problems
  })
}

async function show(flags: Flags): Promise<ExitCode> {
  return inSession(flags, async ({ reader }) => {
    const [processes, changed] = await Promise.all([reader.processes(), reader.limits.changed()])
    const rows = rowsOf(processes, changed)
    if (flags.json) printJson({ limits: rows, changed })
    else if (rows.length === 0)
      console.log('No running process has limits that can be changed: they need ops.limits({ … }).')
    else await printColumns(head, rows.map(cells))
    for (const { name, problems } of knownLimits(processes))
      for (const problem of problems) console.error(`warning: ${oneLine(`${name}: ${problem}`)}`)
    return exitCode.fine
  })
}

const head = ['LIMIT', 'RULE', 'IN PLACE OF', 'FOR', 'BY', 'WHY']

interface Row {
  readonly name: string
  readonly rules: readonly string[]
  readonly now: readonly string[]
  readonly changed: ChangedLimit | undefined
}

/** The rows of limits. A limit that no running process has may have been changed all the same. */
function rowsOf(processes: readonly RunningProcess[], changed: readonly ChangedLimit[]): readonly Row[] {
  const known = knownLimits(processes)
  const names = new Set([...known, ...changed].map(({ name }) => name))
  return [...names].sort().map((name) => {
    const { rules = [], now = [] } = known.find((limit) => limit.name === name) ?? {}
    return { name, rules, now, changed: changed.find((each) => each.name === name) }
  })
}

function cells({ name, rules, now, changed }: Row): readonly string[] {
  if (changed === undefined) return [name, rules.join(' or '), '', '', '', '']
  const { endsInMs, by = '', why = '' } = changed
  const time = endsInMs === null ? 'until restored' : spanText(endsInMs)
  return [name, now.join(' or '), rules.join(' or '), time, by, why]
}

function fail(message: string): ExitCode {
  console.error(`error: ${oneLine(message)}`)
  return exitCode.problems
}
