import { ids, memoryIds, threePolicies } from './asking/parts.ts'
import { isOther, sluiceRow } from './asking/rows.ts'
import { areApart, bareOf, isMeasurable } from './believed.ts'
import { httpId, overBare, rowName } from './http/sections.ts'
import type { Spread } from './rounds.ts'
import { cellOf, type Section } from './section.ts'

/** What must be held, and what is aimed at. */
export interface Floor {
  readonly title: string
  readonly section: string
  readonly row: string
  readonly column: string
  /** Whether a higher figure is the better one. */
  readonly more: boolean
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

function inMemory(title: string, at: { section: string; floor: number; goal: number }): Floor {
  return { title, row: counter, column: 'ns', more: false, ...at }
}

function overFramework(
  framework: Parameters<typeof httpId>[0],
  { place, ...bounds }: { place: 'memory' | 'Redis'; floor: number; goal: number },
): Floor {
  const row = rowName(framework, 'Sluice', place)
  const section = httpId(framework)
  const beside = (other: string) => other.endsWith(`, ${place}`)
  return {
    title: `${framework}, ${place}`,
    section,
    row,
    column: overBare,
    more: false,
    beside,
    ...bounds,
  }
}

const floors: readonly Floor[] = [
  ofIncr('64 at once, counter', { section: ids.atOnce, row: counter, floor: 1, goal: 1.6 }),
  {
    title: '64 at once, counter',
    section: ids.atOnce,
    row: counter,
    column: 'Node µs',
    more: false,
    goal: 3.5,
  },
  ofIncr('64 at once, GCRA', { section: ids.atOnce, row: gcra, floor: 1, goal: 1.6 }),
  ofIncr('512 at once, counter', { section: ids.crowd, row: counter, floor: 1, goal: 1.8 }),
  ofIncr('64 at once, one key', { section: ids.oneKey, row: counter, floor: 1.3, goal: 2.5 }),
  ofIncr('64 at once, one refused key', { section: ids.refused, row: counter, floor: 4, goal: 8 }),
  ofIncr('one at a time, counter', { section: ids.oneAtATime, row: counter, floor: 0.83, goal: 0.9 }),
  ofIncr('one at a time, GCRA', { section: ids.oneAtATime, row: gcra, floor: 0.75, goal: 0.9 }),
  {
    ...ofIncr('three GCRA policies, 64 at once', {
      section: ids.policies,
      row: threePolicies,
      floor: 0.5,
      goal: 0.9,
    }),
    beside: (other) => other.endsWith(', 3 policies'),
  },
  inMemory('memory, one key', { section: memoryIds.one, floor: 300, goal: 150 }),
  inMemory('memory, 100,000 keys', { section: memoryIds.many, floor: 900, goal: 600 }),
  overFramework('Fastify', { place: 'memory', floor: 7.5, goal: 4 }),
  overFramework('Fastify', { place: 'Redis', floor: 16, goal: 9 }),
  overFramework('Koa', { place: 'memory', floor: 8.5, goal: 4 }),
  overFramework('Koa', { place: 'Redis', floor: 16, goal: 9 }),
  overFramework('Express', { place: 'memory', floor: 18, goal: 10 }),
  overFramework('Express', { place: 'Redis', floor: 40, goal: 20 }),
  {
    title: 'Redis CPU per check, 64 at once, counter',
    section: ids.atOnce,
    row: counter,
    column: 'Redis µs',
    more: false,
    floor: 5,
    goal: 3.5,
  },
]

/** Those whose section was measured. */
export function judgeFloors(sections: readonly Section[]): readonly JudgedFloor[] {
  return floors.flatMap((floor) => {
    const section = sections.find(({ id }) => id === floor.section)
    return section === undefined ? [] : [judgeOne(floor, section)]
  })
}

function judgeOne(floor: Floor, section: Section): JudgedFloor {
  const measured = cellOf(section, floor.row, floor.column)
  const sign = floor.more ? 1 : -1
  const [other] = section.rows
    .filter(({ name }) => isOther(name) && (floor.beside?.(name) ?? true))
    .map(({ name }) => ({ name, cell: cellOf(section, name, floor.column) }))
    .sort((a, b) => sign * (b.cell.median - a.cell.median))
  const places = section.columns.find(({ name }) => name === floor.column)?.places ?? 0
  const about = { floor, places, measured, other }
  if (floor.column === overBare && !isMeasurable(measured, bareOf(section)))
    return { ...about, ahead: '–', outcome: 'not measurable' }
  return { ...about, ahead: aheadOf(sign, measured, other?.cell), outcome: outcomeOf(floor, measured) }
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
