import { type Machine, sentenceOf } from './machine.ts'
import type { Section } from './section.ts'
import { asMarkdown, asText, tableOf, targetTable } from './table.ts'
import type { Judged } from './targets.ts'

export interface Report {
  readonly machine: Machine
  readonly sections: readonly Section[]
  readonly targets: readonly Judged[]
}

export function reportText({ machine, sections, targets }: Report): string {
  const parts = sections.map((section) => `${section.title}\n${asText(tableOf(section))}`)
  return [sentenceOf(machine), ...parts, `Targets\n${asText(targetTable(targets))}`, verdictOf(targets)].join(
    '\n\n',
  )
}

export function reportMarkdown({ machine, sections, targets }: Report): string {
  const parts = sections.flatMap((section) => [`### ${section.title}`, asMarkdown(tableOf(section))])
  return [
    sentenceOf(machine),
    ...parts,
    '### Targets',
    asMarkdown(targetTable(targets)),
    verdictOf(targets),
  ].join('\n\n')
}

function verdictOf(targets: readonly Judged[]): string {
  return `${targets.filter(({ met }) => met).length} of ${targets.length} targets are met.`
}
