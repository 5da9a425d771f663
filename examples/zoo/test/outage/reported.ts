import { follow, type Shown } from '../stream.ts'
import type { RunningZoo } from '../zoo.ts'
import type { Counts } from './ledger.ts'

const none: Counts & { fallback: number } = { admitted: 0, limited: 0, denied: 0, fallback: 0 }

/** What the metrics of a process say of one limiter. */
export async function metricsOf({ url }: RunningZoo, limiter: string): Promise<typeof none> {
  const counts = { ...none }
  for (const line of (await (await fetch(`${url}/metrics`)).text()).split('\n')) {
    if (!line.includes(`limiter="${limiter}"`)) continue
    const value = Number(line.slice(line.lastIndexOf(' ')))
    if (line.startsWith('sluice_fallback_decisions_total{')) counts.fallback += value
    if (!line.startsWith('sluice_decisions_total{')) continue
    if (line.includes('outcome="allowed"')) counts.admitted += value
    else if (line.includes('reason="denied"')) counts.denied += value
    else counts.limited += value
  }
  return counts
}

/** What the totals of a dashboard are that is opened now, in the last hour. */
export interface Totals {
  readonly admitted: number
  readonly refused: number
  readonly local: number
  /** Of each attraction that has asked. */
  readonly rows: { readonly [limiter: string]: number }
}

const longestMs = 15_000

/** The totals that a page shows once they are these, or those that it shows in the end. */
export async function totalsOn(zoo: RunningZoo, expected: Totals): Promise<Totals> {
  const endMs = performance.now() + longestMs
  const wanted = JSON.stringify(expected)
  const isDone = (shown: Shown) =>
    performance.now() > endMs || JSON.stringify(totalsIn(shown, expected)) === wanted
  return totalsIn(await follow(zoo, isDone, {}, 3600), expected)
}

interface SentTotals extends Omit<Totals, 'rows'> {
  readonly rows: { readonly [row: string]: { readonly admitted: number } }
}

function totalsIn({ history, second }: Shown, { rows: wanted }: Totals): Totals {
  const { admitted, refused, local, rows } = (second?.totals ??
    history?.totals ?? { admitted: 0, refused: 0, local: 0, rows: {} }) as SentTotals // as the dashboard's own tests hold it
  const limiters = Object.keys(wanted)
  return {
    admitted,
    refused,
    local,
    rows: Object.fromEntries(limiters.map((name) => [name, rows[`${name}:attraction`]?.admitted ?? 0])),
  }
}

/** A process, as `sluice top --json` shows it. */
export interface SeenOf {
  readonly seen: {
    readonly policies: readonly {
      readonly limiter: string
      readonly policy: string
      readonly admitted: number
      readonly refused: number
    }[]
  } | null
}

/** What all processes say of the tigers' policies. */
export function tigersIn(processes: readonly SeenOf[]) {
  const sums: { [policy: string]: { admitted: number; refused: number } } = {}
  for (const { limiter, policy, admitted, refused } of processes.flatMap(
    ({ seen }) => seen?.policies ?? [],
  )) {
    if (limiter !== 'tiger') continue
    const sum = sums[policy] ?? { admitted: 0, refused: 0 }
    sums[policy] = { admitted: sum.admitted + admitted, refused: sum.refused + refused }
  }
  return sums
}
