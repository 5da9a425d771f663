import type { Bench } from '../bench.ts'
import type { Section } from '../section.ts'
import { raceLanes, type Shown, sectionOfTurns } from '../turns.ts'
import type { Arrivals, Latencies } from './arrivals.ts'
import { Crew, type RedisFigures } from './crew.ts'
import type { Asked } from './rows.ts'

interface About {
  readonly id: string
  readonly title: string
  readonly asked: readonly Asked[]
}

/** What a row is compared with, and what that column is called. */
export interface Base {
  readonly name: string
  readonly of: (row: string) => string
}

async function throughput(
  bench: Bench,
  { asked, atOnce, ...about }: About & { atOnce: number; shown: readonly Shown<keyof RedisFigures>[] },
): Promise<Section> {
  const crew = new Crew(bench)
  try {
    const lanes = await crew.lanes(asked, { atOnce, turnMs: bench.pace.turnMs })
    return sectionOfTurns(about, await raceLanes(lanes, bench.pace))
  } finally {
    await crew.end()
  }
}

/** Checks through Redis: how many a second, and the CPU time of both sides. */
export function throughRedis(
  bench: Bench,
  { base, ...about }: About & { atOnce: number; base: Base },
): Promise<Section> {
  const shown: readonly Shown<keyof RedisFigures>[] = [
    { name: 'a second', figure: 'perSecond', places: 0 },
    { ...base, figure: 'perSecond', places: 2 },
    { name: 'Node µs', figure: 'nodeUs', places: 2 },
    { name: 'Redis µs', figure: 'redisUs', places: 2 },
  ]
  return throughput(bench, { ...about, shown })
}

/** Awaited checks in memory, one after another. */
export function inMemory(bench: Bench, { base, ...about }: About & { base: Base }): Promise<Section> {
  const shown: readonly Shown<keyof RedisFigures>[] = [
    { name: 'ns', figure: 'ns', places: 0 },
    { ...base, figure: 'ns', places: 2 },
    { name: 'CPU ns', figure: 'cpuNs', places: 0 },
  ]
  return throughput(bench, { ...about, atOnce: 1, shown })
}

export const latencyColumns = { p99: '99th µs', loop: 'event loop, 99th µs' }

/** How long callers wait for an answer at a rate that none of the rows has trouble with. */
export async function atRate(
  bench: Bench,
  {
    asked,
    perSecond,
    arrivals,
    rounds,
    ...about
  }: About & { perSecond: number; arrivals: Arrivals; rounds: number },
): Promise<Section> {
  const shown: readonly Shown<keyof Latencies>[] = [
    { name: 'median µs', figure: 'medianUs', places: 0 },
    { name: latencyColumns.p99, figure: 'p99Us', places: 0 },
    { name: latencyColumns.loop, figure: 'loopP99Us', places: 0 },
  ]
  const crew = new Crew(bench)
  try {
    const lanes = await crew.arrivals(asked, { perSecond, arrivals, turnMs: 10 * bench.pace.turnMs })
    return sectionOfTurns({ ...about, shown }, await raceLanes(lanes, { rounds }))
  } finally {
    await crew.end()
  }
}
