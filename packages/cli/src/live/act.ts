import type { Act, ActReason, Key, Limiter, Policies } from '@sluice/core'
import type { Command } from 'commander'
import { type Done, type ExitCode, exitCode } from '../exit-code.ts'
import { type Flags, nothing, type Plan, questionOf, say, sayUnknown, undoOf } from './act-words.ts'
import { agreed } from './ask.ts'
import { addConnection, connectionHelp } from './connection.ts'
import { readTime } from './duration.ts'
import { readTypedKey } from './keys.ts'
import { inspected, limitersFor, type Sight, sayLeft } from './limiters.ts'
import { meeting } from './listed.ts'
import { addActFlags, reasonOf } from './reason.ts'
import { inSession, noProcesses, type Session } from './session.ts'

function addAct(program: Command, name: Plan['act'], about: string): Command {
  const command = addConnection(program.command(name))
    .description(about)
    .argument('<key>', 'an address, a name, or a list as JSON')
    .option('--limiter <name>', 'only this limiter (default: all)')
  return addActFlags(command).option('--yes', 'do not ask')
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
      done(
        await perform({
          act: 'block',
          typed: readTypedKey(key),
          time,
          forMs: readTime(time),
          flags,
        }),
      ),
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
      const sights = await inspected(rebuilt, typed)
      const concerned = sights.filter((sight) => isConcerned(plan, sight))
      if (concerned.length === 0) return nothing(plan, { lists, sights })
      if (plan.act !== 'unblock') sayUnknown(plan, sights, await session.reader.processes())
      if (flags.dryRun) return say(plan, { sights: concerned, lists, more: 'Dry run: nothing was done.' })
      const final = plan.act === 'reset' || (plan.act === 'unblock' && concerned.some(isBanned))
      if (final && !(await agreed(questionOf(plan, concerned), flags.yes)))
        return nothing(plan, { lists, sights })
      await doAll(plan, { sights: concerned, session, reason })
      return say(plan, { sights: concerned, lists, more: undoOf(plan) })
    } finally {
      await rebuilt.close()
    }
  })
}

/** Whether an act applies to a limiter. A key that it never has is not blocked there: that would keep no client out. */
function isConcerned({ act }: Plan, sight: Sight): boolean {
  if (act === 'unblock') return isBlocked(sight)
  return act === 'reset' || !sight.foreign
}

/** Acts limiter by limiter. What was done gets one entry in the log for each key, also where Redis has failed in the middle. */
async function doAll(
  { act, forMs }: Plan,
  { sights, session, reason }: { sights: readonly Sight[]; session: Session; reason: ActReason },
): Promise<void> {
  const done = new Map<Key, Limiter<Policies>[]>()
  try {
    for (const { limiter, key } of sights) {
      if (act === 'block') await limiter.block(key, `${forMs ?? 0}ms`)
      else await limiter[act](key)
      done.set(key, [...(done.get(key) ?? []), limiter])
    }
  } finally {
    for (const [key, limiters] of done)
      await session.reader.add({ act, ...placeOf(limiters), key, atMs: Date.now(), forMs, ...reason })
  }
}

/** Where an act was done: for limiters of one name the policies, for several how many limiters there are. */
function placeOf(limiters: readonly Limiter<Policies>[]): Pick<Act, 'limiter' | 'limiters' | 'policies'> {
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
