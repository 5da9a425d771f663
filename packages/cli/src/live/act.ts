import type { Act, ActReason, Limiter } from '@sluice/core'
import type { Command } from 'commander'
import { type Done, type ExitCode, exitCode, UsageError } from '../exit-code.ts'
import { type Flags, nothing, type Plan, questionOf, say, undoOf } from './act-words.ts'
import { agreed } from './ask.ts'
import { addConnection, connectionHelp } from './connection.ts'
import { readTime } from './duration.ts'
import { readTypedKey } from './keys.ts'
import { inspected, limitersFor, type Sight, sayLeft } from './limiters.ts'
import { meeting } from './listed.ts'
import { inSession, noProcesses, type Session, userName } from './session.ts'

function addAct(program: Command, name: Plan['act'], about: string): Command {
  return addConnection(program.command(name))
    .description(about)
    .argument('<key>', 'an address, a name, or a list as JSON')
    .option('--limiter <name>', 'only this limiter (default: all)')
    .option('--why <text>', 'why, for the log')
    .option('--by <name>', 'who does it, for the log (default: your user name)')
    .option('--dry-run', 'only say what would be done')
    .option('--yes', 'do not ask')
}

/** `sluice block`, `unblock` and `reset` */
export function addActs(program: Command, done: Done): void {
  addAct(program, 'block', 'Refuses a key for a time, in all running services. Undone by sluice unblock.')
    .argument('<time>', 'how long, such as 30s, 10m or 1h; at most 365d')
    .addHelpText(
      'after',
      examplesOf('block 203.0.113.9 1h --why "scraper"', 'block alice 10m --limiter login') + connectionHelp,
    )
    .action(async (key: string, time: string, flags: Flags) =>
      done(await perform({ act: 'block', typed: readTypedKey(key), forMs: readTime(time), flags })),
    )
  addAct(program, 'unblock', 'Ends the blocks and bans of a key. Asks before it ends a ban.')
    .addHelpText(
      'after',
      examplesOf('unblock 203.0.113.9', 'unblock alice --limiter login --yes') + connectionHelp,
    )
    .action(async (key: string, flags: Flags) =>
      done(await perform({ act: 'unblock', typed: readTypedKey(key), flags })),
    )
  addAct(program, 'reset', 'Forgets what a key has used, and its blocks. Asks, as it cannot be undone.')
    .addHelpText('after', examplesOf('reset alice --limiter login', 'reset alice --dry-run') + connectionHelp)
    .action(async (key: string, flags: Flags) =>
      done(await perform({ act: 'reset', typed: readTypedKey(key), flags })),
    )
}

function examplesOf(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ sluice ${line}\n`).join('')}`
}

async function perform(plan: Plan): Promise<ExitCode> {
  const reason = reasonOf(plan.flags)
  return inSession(plan.flags, async (session) => {
    const { typed, flags } = plan
    const rebuilt = await limitersFor(session, flags.limiter)
    if (rebuilt === undefined) return noProcesses()
    try {
      sayLeft(rebuilt)
      if (rebuilt.limiters.length === 0) return exitCode.problems
      const lists = await meeting(typed, await session.reader.lists.entries(), flags.limiter)
      const sights = await inspected(rebuilt.limiters, typed.key)
      const concerned = sights.filter((sight) => plan.act !== 'unblock' || isBlocked(sight))
      if (concerned.length === 0) return nothing(plan, lists)
      const limiters = concerned.map(({ limiter }) => limiter)
      if (flags.dryRun) return say(plan, { limiters, lists, more: 'Dry run: nothing was done.' })
      const final = plan.act === 'reset' || (plan.act === 'unblock' && concerned.some(isBanned))
      if (final && !(await agreed(questionOf(plan, limiters), flags.yes))) return nothing(plan, lists)
      await doAll(plan, { limiters, session, reason })
      return say(plan, { limiters, lists, more: undoOf(plan) })
    } finally {
      await rebuilt.close()
    }
  })
}

function reasonOf({ why, by = userName() }: Flags): ActReason {
  for (const [flag, text] of [
    ['--why', why],
    ['--by', by],
  ] as const)
    if (text !== undefined && text.length > 500)
      throw new UsageError(`${flag}: expected at most 500 characters`)
  return { by, ...(why !== undefined && { why }) }
}

/** Limiter by limiter. What was done is one entry of the log, also where Redis has failed in the middle. */
async function doAll(
  { act, typed: { key }, forMs }: Plan,
  { limiters, session, reason }: { limiters: readonly Limiter[]; session: Session; reason: ActReason },
): Promise<void> {
  const done: Limiter[] = []
  try {
    for (const limiter of limiters) {
      if (act === 'block') await limiter.block(key, forMs ?? 0)
      else await limiter[act](key)
      done.push(limiter)
    }
  } finally {
    if (done.length > 0)
      await session.reader.add({ act, ...placeOf(done), key, atMs: Date.now(), forMs, ...reason })
  }
}

/** Of one name, each policy; of several, how many they are. */
function placeOf(limiters: readonly Limiter[]): Pick<Act, 'limiter' | 'limiters' | 'policies'> {
  const [name = '', ...others] = new Set(limiters.map(({ name }) => name))
  if (others.length > 0) return { limiter: '', limiters: 1 + others.length, policies: [] }
  const policies = new Set(limiters.flatMap(({ policies }) => Object.keys(policies)))
  return { limiter: name, policies: [...policies] }
}

function isBlocked({ policies }: Sight): boolean {
  return policies.some(([, { blockedMs, banned }]) => blockedMs !== null || banned)
}

function isBanned({ policies }: Sight): boolean {
  return policies.some(([, { banned }]) => banned)
}
