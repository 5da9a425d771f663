import type { Random } from '../random.ts'
import type { CallPlan, Scenario } from './plan.ts'

/** In some histories a process closes all that it has while calls of it may be under way. Later ones go to another process. */
export function drawClosing(
  random: Random,
  { processes, queue }: Pick<Scenario, 'processes'> & { readonly queue: unknown },
  calls: readonly CallPlan[],
): { readonly closes: Scenario['closes']; readonly calls: readonly CallPlan[] } {
  if (processes < 2 || queue !== undefined || !random.chance(0.08)) return { closes: undefined, calls }
  const waiting = calls.filter(({ operation }) => operation === 'wait')
  const after = random.one(waiting.length > 0 && random.chance(0.5) ? waiting : calls)
  const process = random.chance(0.7) ? after.process : random.whole(0, processes - 1)
  const closes = { atUs: after.atUs + random.one([0, 200, 5_000, 60_000, 400_000]), process }
  return {
    closes,
    calls: calls.map((call) =>
      call.process === process && call.atUs >= closes.atUs
        ? { ...call, process: (process + 1) % processes }
        : call,
    ),
  }
}
