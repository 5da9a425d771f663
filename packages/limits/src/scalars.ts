import { didYouMean } from '@sluice/core/internal'
import { isScalar } from 'yaml'
import type { LimitsDocument, Part } from './document.ts'

/** The value of a part, if it is a scalar. */
function scalarOf({ node }: Part): unknown {
  return isScalar(node) ? node.value : undefined
}

/** Each of these returns undefined, with a problem noted, for anything else. */
export function readWhole(document: LimitsDocument, part: Part, least: number): number | undefined {
  const value = scalarOf(part)
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  return document.note(part, `a whole number of at least ${least}`)
}

export function readTruth(document: LimitsDocument, part: Part): boolean | undefined {
  const value = scalarOf(part)
  return typeof value === 'boolean' ? value : document.note(part, 'true or false')
}

/** A name exactly as written: a number is one too. */
export function readName(document: LimitsDocument, part: Part): string | undefined {
  const { node } = part
  if (!isScalar(node) || node.value === null) return document.note(part, 'a name')
  const name = node.source ?? String(node.value)
  return name === '' ? document.note(part, 'a name', 'an empty one') : name
}

/** One of several words. */
export function readChoice<const T extends string>(
  document: LimitsDocument,
  part: Part,
  choices: readonly T[],
): T | undefined {
  const value = scalarOf(part)
  const choice = choices.find((each) => each === value)
  if (choice !== undefined) return choice
  const expected = choices.map((each) => `"${each}"`).join(' or ')
  return document.note(part, expected + didYouMean(value, choices))
}
