import { hotNames } from './ahead/hot-limiter.ts'
import { oneCheckNames } from './ahead/one-check.ts'
import { names } from './calls.ts'
import { slotName } from './in-flight.ts'
import { decided } from './memory.ts'
import { observerNames, observerSections } from './observers.ts'
import { queueNames } from './queues.ts'
import type { Spread } from './rounds.ts'
import { named, type Section } from './section.ts'
import { treeNames } from './tree.ts'
import { sleeperRows, waitingNames } from './waiting.ts'

/** What a median is to reach, or not to exceed. */
export interface Target {
  readonly section: string
  readonly row: string
  /** Which of the row's ratios; left out: the value itself. */
  readonly ratio?: number
  readonly atLeast?: number
  readonly atMost?: number
}

export interface Judged {
  readonly target: Target
  readonly title: string
  readonly measured: Spread
  readonly met: boolean
}

const ofIncr = 0
const { counter, gcra } = names

export const targets: readonly Target[] = [
  ...['own-cores', 'one-core', 'unpinned'].flatMap((section) => [
    { section, row: counter, ratio: ofIncr, atLeast: 0.65 },
    { section, row: gcra, ratio: ofIncr, atLeast: 0.6 },
  ]),
  { section: 'server-time', row: counter, ratio: 0, atMost: 4 },
  { section: 'server-time', row: gcra, ratio: 0, atMost: 5 },
  { section: 'server-time', row: names.three, ratio: 1, atMost: 2.3 },
  { section: 'server-time', row: names.ten, ratio: 1, atMost: 6.5 },
  { section: 'queues', row: queueNames.stream, ratio: 0, atMost: 0.78 },
  { section: 'queues', row: queueNames.list, ratio: 0, atMost: 0.6 },
  { section: 'waiting', row: waitingNames.atOnce, ratio: 0, atMost: 1.1 },
  { section: 'waiting', row: waitingNames.later, ratio: 0, atMost: 1.1 },
  { section: 'sleepers', row: sleeperRows.bytes, atMost: 1000 },
  { section: 'sleepers', row: sleeperRows.share, atMost: 0.05 },
  { section: 'in-flight', row: slotName, ratio: 0, atMost: 2.5 },
  ...[hotNames.ahead, hotNames.aheadGcra].flatMap((row) => [
    { section: 'ahead-flood', row, ratio: 0, atLeast: 5 },
    { section: 'ahead-flood', row, ratio: 2, atMost: 1 / 20 },
  ]),
  { section: 'ahead-check', row: oneCheckNames.inHand, atMost: 1 },
  { section: 'ahead-check', row: oneCheckNames.calls, atMost: 1 },
  { section: 'tree-path', row: treeNames.path, atMost: 1 },
  { section: 'tree-load', row: treeNames.load, atMost: 1000 },
  { section: 'stored-bytes', row: 'fixedWindow', atMost: 120 },
  { section: 'stored-bytes', row: 'gcra', atMost: 120 },
  ...['memory-10000', 'memory-100000'].flatMap((section) => [
    { section, row: decided.counter, ratio: 0, atLeast: 0.4 },
    { section, row: decided.gcra, ratio: 0, atLeast: 0.4 },
  ]),
  ...[observerNames.prometheus, observerNames.opentelemetry, observerNames.noSdk].map((row) => {
    return { section: observerSections.admitted, row, atMost: 0.3 }
  }),
  { section: 'heap-bytes', row: 'counter', atMost: 110 },
  { section: 'heap-bytes', row: 'GCRA', atMost: 110 },
]

/** Those of the targets whose section was measured. */
export function judge(sections: readonly Section[]): readonly Judged[] {
  return targets.flatMap((target) => {
    const section = sections.find(({ id }) => id === target.section)
    return section === undefined ? [] : [judgeOne(target, section)]
  })
}

function judgeOne(target: Target, section: Section): Judged {
  const row = named(section.rows, target.row)
  const measured = row.cells[target.ratio === undefined ? 0 : target.ratio + 1]
  if (measured === undefined) throw new Error(`${section.title}: ${row.name} has no such ratio.`)
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = target
  return {
    target,
    title: section.title,
    measured,
    met: measured.median >= atLeast && measured.median <= atMost,
  }
}
