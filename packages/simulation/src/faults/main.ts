import type { SingleFault } from '@sluice/faults/single'
import { foundHistories } from '../found.ts'
import { bundleCode } from '../inside/bundle.ts'
import { playMany } from '../many.ts'
import { type Played, Player } from '../player.ts'
import { inOwnTurn } from '../world/microtasks.ts'
import { singleFaults } from './list.ts'

/** The fixed seeds of `npm test`. */
const seeds = Number(process.env.SLUICE_FAULT_HISTORIES ?? 10_000)

/** The first history that notices the fault: one that is kept for it, or one of the seeds. */
async function noticed(fault: SingleFault, serverText: string): Promise<Played | undefined> {
  const player = new Player(await bundleCode(fault), { serverText })
  for (const { plan, fault: name } of foundHistories()) {
    if (name !== fault.name) continue
    const played = await inOwnTurn(() => player.plan(plan))
    if (played.breaches.length > 0) return played
  }
  return playMany(player, { from: 1, count: seeds, untilMs: Number.POSITIVE_INFINITY })
}

async function main(words: readonly string[]): Promise<void> {
  const text = await bundleCode()
  const chosen = singleFaults.filter(({ name, file }) =>
    words.every((word) => `${file} ${name}`.includes(word)),
  )
  let missed = 0
  for (const fault of chosen) {
    const history = await noticed(fault, text)
    if (history === undefined) missed++
    const by =
      history === undefined ? 'NOT NOTICED' : `seed ${history.plan.seed}: ${history.breaches[0]?.invariant}`
    console.log(`${fault.file}: ${fault.name} (${fault.why})\n    ${by}`)
  }
  console.log(`${chosen.length - missed} of ${chosen.length} faults are noticed within ${seeds} histories`)
  process.exitCode = missed === 0 ? 0 : 1
}

await main(process.argv.slice(2))
