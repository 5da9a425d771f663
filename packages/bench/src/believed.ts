import type { Framework, Limiting } from './http/limits.ts'
import { httpId, overBare, type Place, rowName } from './http/sections.ts'
import type { Spread } from './rounds.ts'
import { cellOf, type Section } from './section.ts'

/** What a limiter adds to a request of a framework, and whether this run can tell it from nothing. */
export interface Added {
  readonly spread: Spread
  readonly measurable: boolean
}

export function addedBy(
  sections: readonly Section[],
  { framework, limiting, place }: { framework: Framework; limiting: Limiting; place: Place },
): Added {
  const section = sections.find(({ id }) => id === httpId(framework))
  if (section === undefined) throw new Error(`${framework} was not measured.`)
  const spread = cellOf(section, rowName(framework, limiting, place), overBare)
  return { spread, measurable: isMeasurable(spread, bareOf(section)) }
}

/** The bare framework compared with itself, in a section that has it. */
export function bareOf(section: Section): Spread {
  const row = section.rows.find(({ name }) => name.startsWith('bare '))
  if (row === undefined) throw new Error(`${section.title} has no bare framework.`)
  return cellOf(section, row.name, overBare)
}

/** What is no larger than the bare framework differs from itself may be nothing. */
export function isMeasurable(spread: Spread, bare: Spread): boolean {
  return spread.low > Math.max(Math.abs(bare.low), Math.abs(bare.high))
}

/** Whether half of the rounds of each are on one side of the other's: else a run does not say which is ahead. */
export function areApart(one: Spread, other: Spread): boolean {
  return one.high < other.low || other.high < one.low
}
