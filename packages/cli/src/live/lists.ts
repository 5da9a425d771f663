import type { ListName } from '@sluice/core'
import { readEntry } from '@sluice/http/internal'
import type { ListPlace, StoredEntry } from '@sluice/operations'
import type { Command } from 'commander'
import { type Done, type ExitCode, exitCode, UsageError } from '../exit-code.ts'
import { oneLine } from '../one-line.ts'
import { printJson } from '../print.ts'
import { agreed } from './ask.ts'
import { addConnection, type ConnectionFlags, connectionHelp } from './connection.ts'
import { readTime } from './duration.ts'
import { readKey, readsAsAddress } from './keys.ts'
import { listWord, nameOf, scopeOf, unlistCommand } from './listed.ts'
import { sayUnobeyed } from './obeyed.ts'
import { printColumns } from './print-columns.ts'
import { type ActFlags, addActFlags, reasonOf } from './reason.ts'
import { inSession } from './session.ts'
import { spanText } from './times.ts'

interface Flags extends ConnectionFlags, ActFlags {
  readonly key?: true
  readonly limiter?: string
  readonly yes?: true
}

const verbs = {
  deny: {
    list: 'deny',
    done: 'Denied',
    about: 'Refuses requests of an address, a network or a key with 403, in every process',
  },
  refuse: {
    list: 'block',
    done: 'Refused',
    about: 'Refuses requests of an address, a network or a key with 429, in every process',
  },
  allow: {
    list: 'allow',
    done: 'Allowed',
    about: 'Lets requests of an address, a network or a key pass in every process, uncounted',
  },
} as const
const names: readonly ListName[] = ['deny', 'block', 'allow']

function addChange(program: Command, name: string, about: string): Command {
  const command = addConnection(program.command(name))
    .description(about)
    .argument('<what>', 'an address, a network such as 203.0.113.0/24, or a key (a list as JSON)')
    .option('--key', 'what reads as an address is meant as a key')
    .option('--limiter <name>', 'only for this limiter (default: all)')
  return addActFlags(command).option('--yes', 'do not ask')
}

/** `sluice deny`, `refuse`, `allow`, `unlist` and `lists` */
export function addLists(program: Command, done: Done): void {
  for (const verb of ['deny', 'refuse', 'allow'] as const)
    addChange(program, verb, `${verbs[verb].about}. Undone by sluice unlist.`)
      .argument('<time>', 'how long, such as 30s, 10m or 1d; at most 365d')
      .addHelpText(
        'after',
        `\nExample:\n  $ sluice ${verb} 203.0.113.0/24 1d --why "scraper"\n${connectionHelp}`,
      )
      .action(async (what: string, time: string, flags: Flags) =>
        done(await put(verb, { what, time, flags })),
      )
  addChange(program, 'unlist', 'Removes an address, a network or a key from every list.')
    .addHelpText('after', `\nExample:\n  $ sluice unlist 203.0.113.0/24\n${connectionHelp}`)
    .action(async (what: string, flags: Flags) => done(await unlist(what, flags)))
  addConnection(program.command('lists'))
    .description('Shows what is denied, refused and allowed, and until when.')
    .addHelpText('after', `\nExample:\n  $ sluice lists\n${connectionHelp}`)
    .action(async (flags: Flags) => done(await show(flags)))
}

async function put(
  verb: keyof typeof verbs,
  { what, time, flags }: { what: string; time: string; flags: Flags },
): Promise<ExitCode> {
  const { list, done } = verbs[verb]
  const forMs = readTime(time)
  const place = placeOf(list, what, flags)
  const reason = reasonOf(flags)
  return inSession(flags, async ({ reader }) => {
    if (!flags.dryRun && isWide(place)) {
      const question = `${oneLine(String(place.address))} holds millions of addresses. ${verb} all of them?`
      if (!(await agreed(question, flags.yes))) return say(flags, { place, done: false }, 'Nothing was done.')
    }
    if (!flags.dryRun) {
      try {
        await reader.lists.put(place, `${forMs}ms`, reason)
      } catch (error) {
        if (!isFull(error)) throw error
        console.error(`error: ${error.message}`)
        return exitCode.problems
      }
    }
    sayUnobeyed(await reader.processes(), flags.limiter)
    const words = flags.dryRun ? `Would ${verb}` : done
    const text = `${words} ${nameOf(place)}${scopeOf(place)} for ${spanText(forMs)}.`
    const more = flags.dryRun ? 'Dry run: nothing was done.' : `Undo: ${unlistCommand(place)}`
    say(flags, { place, forMs, done: !flags.dryRun }, `${text}\n${more}`)
    return exitCode.fine
  })
}

async function unlist(what: string, flags: Flags): Promise<ExitCode> {
  const places = names.map((list) => placeOf(list, what, flags))
  const [place = { list: 'deny' }] = places
  const reason = reasonOf(flags)
  return inSession(flags, async ({ reader }) => {
    const removed: ListName[] = []
    const entries = flags.dryRun ? await reader.lists.entries() : []
    for (const each of places) {
      const found = flags.dryRun
        ? entries.some((entry) => sameText(entry) === sameText(each))
        : await reader.lists.remove(each, reason)
      if (found) removed.push(each.list)
    }
    const words = flags.dryRun ? 'Would remove' : 'Removed'
    const text =
      removed.length === 0
        ? `${nameOf(place)} is on no list${scopeOf(place)}: nothing was done.`
        : `${words} ${nameOf(place)} from ${removed.map(listWord).join(' and ')}.`
    const { list: _, ...about } = place
    say(flags, { place: about, lists: removed, done: removed.length > 0 && !flags.dryRun }, text)
    return removed.length === 0 ? exitCode.problems : exitCode.fine
  })
}

async function show(flags: Flags): Promise<ExitCode> {
  return inSession(flags, async ({ reader }) => {
    const entries = await reader.lists.entries()
    const sorted = entries.toSorted(
      (a, b) => names.indexOf(a.list) - names.indexOf(b.list) || a.endsInMs - b.endsInMs,
    )
    if (flags.json) printJson(sorted)
    else if (sorted.length === 0) console.log('The lists are empty.')
    else await printColumns(head, sorted.map(row))
    return exitCode.fine
  })
}

const head = ['LIST', 'WHAT', 'LIMITER', 'FOR', 'BY', 'WHY']

function row(entry: StoredEntry): readonly string[] {
  const { list, limiter = 'all', endsInMs, by = '', why = '' } = entry
  return [listWord(list), nameOf(entry), limiter, spanText(endsInMs), by, why]
}

/** What an entry is about: a text that reads as an address or a network is one, unless `--key` says otherwise. */
function placeOf(list: ListName, what: string, { key, limiter }: Flags): ListPlace {
  const about = { list, ...(limiter !== undefined && { limiter }) }
  if (key || !readsAsAddress(what)) return { ...about, key: readKey(what) }
  try {
    return { ...about, address: readEntry({ list, address: what }, '').network }
  } catch (error) {
    const expected = error instanceof Error ? error.message : ''
    throw new UsageError(`${oneLine(expected)} (or --key, where it is a key)`)
  }
}

/** Whether an entry is about more than sixteen million addresses of IPv4, or a sixteenth of what a provider has of IPv6. */
function isWide({ address }: ListPlace): boolean {
  const [first = '', bits = '128'] = (address ?? '').split('/')
  return Number(bits) < (first.includes(':') ? 24 : 8)
}

function sameText({ list, address, key, limiter }: ListPlace): string {
  return JSON.stringify([list, address ?? null, key ?? null, limiter ?? null])
}

function isFull(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'SLUICE_LISTS_FULL'
}

function say(flags: Flags, data: object, text: string): ExitCode {
  if (flags.json) printJson(data)
  else console.log(text)
  return exitCode.problems
}
