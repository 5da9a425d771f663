import { parseArgs } from 'node:util'
import type { SingleFault } from '@sluice/faults/single'
import { foundHistories } from '../found.ts'
import { bundleCode } from '../inside/bundle.ts'
import { playMany } from '../many.ts'
import { whole } from '../options.ts'
import { type Played, Player } from '../player.ts'
import { inOwnTurn } from '../world/microtasks.ts'
import { singleFaults } from './list.ts'

const help = `Usage: npm run simulate:faults -- [WORD ...] [options]

Puts single faults into the code of outages, one after the other: each must be noticed by a history that is kept for it, or by one of the
fixed seeds of npm test. With words, those faults whose file or name contains all of them.

  --seeds N     how many seeds are played for a fault that no kept history notices (default 10000)
  --kept        plays no seeds, and leaves out the faults for which no history is kept
  --list        prints the faults, and plays nothing
  --help        prints this
`

const found = foundHistories()

/** The first history that notices the fault: one that is kept for it, or one of the seeds. */
async function noticed(fault: SingleFault, text: string, seeds: number): Promise<Played | undefined> {
  const player = new Player(await bundleCode(fault), { serverText: text })
  for (const { plan, fault: name, invariant } of found) {
    if (name !== fault.name) continue
    const played = await inOwnTurn(() => player.plan(plan))
    if (played.breaches.some((breach) => breach.invariant === invariant)) return played
  }
  return playMany(player, { from: 1, count: seeds, untilMs: Number.POSITIVE_INFINITY })
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seeds: { type: 'string' },
      kept: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  })
  if (values.help) {
    console.log(help)
    return 0
  }
  if (values.kept && values.seeds !== undefined) throw new Error('--kept plays no seeds: leave --seeds out')
  const chosen = singleFaults.filter(
    ({ name, file }) =>
      positionals.every((word) => `${file} ${name}`.includes(word)) &&
      (!values.kept || found.some(({ fault }) => fault === name)),
  )
  if (chosen.length === 0) throw new Error(`no fault has all of: ${positionals.join(', ')}. See --list.`)
  if (values.list) {
    for (const { file, name, why } of chosen) console.log(`${file}: ${name} (${why})`)
    return 0
  }
  return playAll(chosen, values.kept ? 0 : whole(values.seeds, '--seeds', 10_000))
}

async function playAll(faults: readonly SingleFault[], seeds: number): Promise<number> {
  const text = await bundleCode()
  let missed = 0
  for (const fault of faults) {
    const history = await noticed(fault, text, seeds)
    if (history === undefined) missed++
    const by =
      history === undefined ? 'NOT NOTICED' : `seed ${history.plan.seed}: ${history.breaches[0]?.invariant}`
    console.log(`${fault.file}: ${fault.name} (${fault.why})\n    ${by}`)
  }
  const by = seeds === 0 ? 'by the histories that are kept' : `within ${seeds} histories`
  console.log(`${faults.length - missed} of ${faults.length} faults are noticed ${by}`)
  return missed === 0 ? 0 : 1
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
