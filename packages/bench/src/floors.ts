import { ids, latencyIds, memoryIds, threePolicies } from './asking/parts.ts'
import { baseRow, isOther, sluiceRow } from './asking/rows.ts'
import { latencyColumns } from './asking/sections.ts'
import { areApart, bareOf, isMeasurable } from './believed.ts'
import { coldColumns, coldId } from './cold.ts'
import { httpId, overBare, rowName } from './http/sections.ts'
import { installedId } from './installed.ts'
import type { Spread } from './rounds.ts'
import { cellOf, type Section } from './section.ts'

/** Stands for the row of the other library that is the best in its run. */
const best = 'the best'

interface Bounds {
  readonly floor: number
  readonly goal: number
}

/** What must be held, and what is aimed at. */
export interface Floor {
  readonly title: string
  readonly section: string
  readonly row: string
  readonly column: string
  /** Whether a higher figure is the better one. */
  readonly more: boolean
  /** The row of the same run by whose figure ours is divided, or the best of the other libraries. @default none */
  readonly of?: string
  /** Left out: there is a goal alone. */
  readonly floor?: number
  readonly goal: number
  /** The rows of other libraries that do the same. @default every other library's */
  readonly beside?: (row: string) => boolean
}

export interface JudgedFloor {
  readonly floor: Floor
  readonly places: number
  readonly measured: Spread
  /** The best row of another library in the same section, if one has any. */
  readonly other: { readonly name: string; readonly cell: Spread } | undefined
  readonly ahead: 'Sluice' | 'another' | 'too close to call' | '–'
  readonly outcome: 'goal reached' | 'floor held' | 'missed' | 'not measurable'
}

const { counter, gcra } = sluiceRow

function ofIncr(title: string, at: { section: string; row: string; floor: number; goal: number }): Floor {
  return { title, column: 'of INCR', more: true, ...at }
}

const nanoseconds = { row: counter, column: 'ns', more: false } as const

function inMemory(title: string, at: { section: string } & Bounds): Floor {
  return ofBest(title, { ...nanoseconds, ...at })
}

/** The best library's cost over the bare framework is the floor, half of it the goal, and `us` another. */
function overFramework(
  framework: Parameters<typeof httpId>[0],
  place: 'memory' | 'Redis',
  us: number,
): readonly Floor[] {
  const beside = (other: string) => other.endsWith(`, ${place}`)
  const at = {
    section: httpId(framework),
    row: rowName(framework, 'Sluice', place),
    column: overBare,
    beside,
  }
  const title = `${framework}, ${place}`
  return [ofBest(title, { ...at, floor: 1, goal: 0.5 }), { title, ...at, more: false, goal: us }]
}

/** Of a process that has just begun: by its CPU time and by the clock. */
function cold(title: string, row: string): readonly Floor[] {
  return Object.values(coldColumns).map((column) => {
    return {
      title: `first checks of a process, ${title}`,
      section: coldId,
      row,
      column,
      more: true,
      floor: 0.6,
      goal: 0.72,
    }
  })
}

/** The 99th percentile of the wait for an answer, and for the event loop. */
function atRate(title: string, section: string): readonly Floor[] {
  return Object.values(latencyColumns).flatMap((column) =>
    [counter, gcra].map((row) =>
      ofBest(`${title}, ${row === counter ? 'counter' : 'GCRA'}`, {
        section,
        row,
        column,
        floor: 1,
        goal: 0.7,
      }),
    ),
  )
}

/** CPU time of one check as a part of what `INCR` takes in the same run. */
function cpuOfIncr(title: string, at: Pick<Floor, 'section' | 'row' | 'column'> & Bounds): Floor {
  return { title, more: false, of: baseRow.redis, ...at }
}

function ofBest(title: string, at: Pick<Floor, 'section' | 'row' | 'column'> & Bounds): Floor {
  return { title, more: false, of: best, ...at }
}

const nodeTime = { section: ids.oneAtATime, column: 'Node µs', floor: 1.25, goal: 1.1 } as const
const redisTime = { section: ids.atOnce, column: 'Redis µs' } as const
const loading = { section: 'load-import', column: 'of express-rate-limit', more: false } as const

const floors: readonly Floor[] = [
  ofIncr('one at a time, counter', { section: ids.oneAtATime, row: counter, floor: 0.76, goal: 0.9 }),
  ofIncr('one at a time, GCRA', { section: ids.oneAtATime, row: gcra, floor: 0.76, goal: 0.9 }),
  cpuOfIncr('one at a time, counter', { row: counter, ...nodeTime }),
  cpuOfIncr('one at a time, GCRA', { row: gcra, ...nodeTime }),
  ...cold('counter', counter),
  ...cold('GCRA', gcra),
  ...atRate('2,000 a second, evenly', latencyIds.evenly),
  ...atRate('2,000 a second, in bursts', latencyIds.bursts),
  ofIncr('64 at once, counter', { section: ids.atOnce, row: counter, floor: 1.5, goal: 2.2 }),
  ofIncr('64 at once, GCRA', { section: ids.atOnce, row: gcra, floor: 1.5, goal: 2.2 }),
  {
    title: '64 at once, counter',
    section: ids.atOnce,
    row: counter,
    column: 'Node µs',
    more: false,
    goal: 3.5,
  },
  ofIncr('512 at once, counter', { section: ids.crowd, row: counter, floor: 1.3, goal: 2.2 }),
  ofIncr('512 at once, GCRA', { section: ids.crowd, row: gcra, floor: 1.3, goal: 2.2 }),
  ofIncr('64 at once, one key', { section: ids.oneKey, row: counter, floor: 2, goal: 3 }),
  ofIncr('64 at once, one refused key', { section: ids.refused, row: counter, floor: 8, goal: 12 }),
  {
    ...ofIncr('three GCRA policies, 64 at once', {
      section: ids.policies,
      row: threePolicies,
      floor: 0.5,
      goal: 0.9,
    }),
    beside: (other) => other.endsWith(', 3 policies'),
  },
  cpuOfIncr('64 at once, counter', { row: counter, ...redisTime, floor: 0.8, goal: 0.5 }),
  cpuOfIncr('64 at once, GCRA', { row: gcra, ...redisTime, floor: 0.8, goal: 0.5 }),
  { title: '64 at once, counter', row: counter, ...redisTime, more: false, goal: 3.5 },
  inMemory('memory, one key', { section: memoryIds.one, floor: 1.3, goal: 1 }),
  inMemory('memory, one refused key', { section: memoryIds.refused, floor: 1.3, goal: 0.9 }),
  inMemory('memory, 100,000 keys', { section: memoryIds.many, floor: 1.1, goal: 0.9 }),
  { title: 'memory, one key', section: memoryIds.one, ...nanoseconds, goal: 150 },
  { title: 'memory, 100,000 keys', section: memoryIds.many, ...nanoseconds, goal: 600 },
  ...overFramework('Fastify', 'memory', 4),
  ...overFramework('Fastify', 'Redis', 9),
  ...overFramework('Koa', 'memory', 4),
  ...overFramework('Koa', 'Redis', 9),
  ...overFramework('Express', 'memory', 10),
  ...overFramework('Express', 'Redis', 20),
  { title: 'import of core', row: '@sluice/core', ...loading, floor: 0.7, goal: 0.4 },
  {
    title: 'installed, core with Express',
    section: installedId,
    row: '@sluice/express',
    column: 'kB',
    more: false,
    floor: 800,
    goal: 500,
    beside: (other) => other === 'express-rate-limit',
  },
  { title: 'import of core with Express', row: '@sluice/express', ...loading, floor: 0.9, goal: 0.6 },
]

/** Those whose section was measured. */
export function judgeFloors(sections: readonly Section[]): readonly JudgedFloor[] {
  return floors.flatMap((floor) => {
    const section = sections.find(({ id }) => id === floor.section)
    return section === undefined ? [] : [judgeOne(floor, section)]
  })
}

function judgeOne(floor: Floor, section: Section): JudgedFloor {
  const found = cellOf(section, floor.row, floor.column)
  const sign = floor.more ? 1 : -1
  const [first] = section.rows
    .filter(({ name }) => isOther(name) && (floor.beside?.(name) ?? true))
    .map(({ name }) => ({ name, cell: cellOf(section, name, floor.column) }))
    .sort((a, b) => sign * (b.cell.median - a.cell.median))
  const unit = unitOf(floor, section, first?.cell)
  const measured = divided(found, unit)
  const other = first && { name: first.name, cell: divided(first.cell, unit) }
  const places =
    unit === 1 ? (section.columns.find(({ name }) => name === floor.column)?.places ?? 0) : ratioPlaces
  const about = { floor, places, measured, other }
  if (floor.column === overBare && !isMeasurable(found, bareOf(section)))
    return { ...about, ahead: '–', outcome: 'not measurable' }
  return { ...about, ahead: aheadOf(sign, measured, other?.cell), outcome: outcomeOf(floor, measured) }
}

const ratioPlaces = 2

/** By what the figures of a floor are divided. */
function unitOf({ of, column }: Floor, section: Section, first: Spread | undefined): number {
  if (of === undefined) return 1
  const row = of === best ? first : cellOf(section, of, column)
  return row?.median ?? 1
}

function divided({ median, low, high }: Spread, by: number): Spread {
  return { median: median / by, low: low / by, high: high / by }
}

function outcomeOf({ more, floor, goal }: Floor, { median }: Spread): JudgedFloor['outcome'] {
  const holds = (bound: number) => (more ? median >= bound : median <= bound)
  if (holds(goal)) return 'goal reached'
  return floor !== undefined && holds(floor) ? 'floor held' : 'missed'
}

/** `sign`: 1 where a higher figure is the better one, else -1. */
function aheadOf(sign: number, measured: Spread, other: Spread | undefined): JudgedFloor['ahead'] {
  if (other === undefined) return 'Sluice'
  if (!areApart(measured, other)) return 'too close to call'
  return sign * measured.median > sign * other.median ? 'Sluice' : 'another'
}
