import type { JudgedFloor } from './floors.ts'
import { type Machine, sentenceOf } from './machine.ts'
import type { Section } from './section.ts'
import { asMarkdown, asText, floorTable, type Table, tableOf, targetTable } from './table.ts'
import type { Judged } from './targets.ts'

export interface Report {
  readonly machine: Machine
  readonly sections: readonly Section[]
  readonly floors: readonly JudgedFloor[]
  readonly targets: readonly Judged[]
}

interface Titled {
  readonly title: string
  readonly table: Table
  /** A sentence below the table. */
  readonly sum?: string
}

export function reportText(report: Report): string {
  const tables = tablesOf(report).map(({ title, table, sum = '' }) =>
    `${title}\n${asText(table)}\n${sum}`.trimEnd(),
  )
  return [sentenceOf(report.machine), ...tables].join('\n\n')
}

export function reportMarkdown(report: Report): string {
  const tables = tablesOf(report).flatMap(({ title, table, sum }) => {
    return [`### ${title}`, asMarkdown(table), ...(sum === undefined ? [] : [sum])]
  })
  return [sentenceOf(report.machine), ...tables].join('\n\n')
}

/** What was judged comes first. */
function tablesOf({ sections, floors, targets }: Report): readonly Titled[] {
  const judged: Titled[] = []
  if (floors.length > 0)
    judged.push({ title: 'Floors and goals', table: floorTable(floors), sum: floorsSum(floors) })
  if (targets.length > 0)
    judged.push({ title: 'Targets', table: targetTable(targets), sum: targetsSum(targets) })
  return [...judged, ...sections.map((section) => ({ title: section.title, table: tableOf(section) }))]
}

function floorsSum(floors: readonly JudgedFloor[]): string {
  const bounded = floors.filter(({ floor }) => floor.floor !== undefined)
  const held = bounded.filter(({ outcome }) => outcome === 'floor held' || outcome === 'goal reached').length
  const reached = floors.filter(({ outcome }) => outcome === 'goal reached').length
  const unknown = floors.filter(({ outcome }) => outcome === 'not measurable').length
  const rest = unknown === 0 ? '' : `, and ${unknown} could not be measured in this run`
  return `${held} of ${bounded.length} floors are held, ${reached} of ${floors.length} goals are reached${rest}.`
}

function targetsSum(targets: readonly Judged[]): string {
  return `${targets.filter(({ met }) => met).length} of ${targets.length} targets are met.`
}
