import { type CallKind, contenderOf, names } from './calls.ts'
import { type Pace, race } from './rounds.ts'
import { type Section, sectionOf } from './section.ts'

/** Calls a second over one connection, through `limiter.check` and the guarded store or raw. */
export async function throughput(
  kinds: readonly CallKind[],
  { id, title, atOnce, pace }: { id: string; title: string; atOnce: number; pace: Pace },
): Promise<Section> {
  const contenders = kinds.map((kind) => contenderOf(kind, atOnce))
  const laps = await race(contenders, pace)
  return sectionOf({ id, title, unit: 'a second', ratiosTo: [names.incr, names.script] }, laps)
}
