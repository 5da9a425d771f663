import { isOptionError, type OptionError } from '@sluice/core'
import { type OptionWords, policyOfData } from '@sluice/core/internal'
import { ruleOf } from './rule.ts'
import type { Level } from './tree.ts'
import { printable } from './words.ts'

export type Made = Pick<Level, 'policy' | 'rule'>

/** What a strategy does not take. */
export interface Refused {
  /** The option as core names it: `limits[1].window`. */
  readonly path: string
  readonly expected: string
  readonly got: string
}

export const withUnit = 'a duration with a unit such as "10s"'

/** What options are called in a file. */
const words: OptionWords = { duration: withUnit, unknownName: 'no such field' }

/** The policy that data describes; core checks whatever it is given. */
export function makePolicy(data: Readonly<Record<string, unknown>>): Made | Refused {
  const { strategy, ...options } = data
  try {
    // A strategy that is missing or no text is refused as any unknown one.
    const name = strategy as string
    return { policy: policyOfData({ ...options, strategy: name }, words), rule: ruleOf(name, options) }
  } catch (error) {
    if (!isOptionError(error)) throw error
    return refusedBy(error)
  }
}

function refusedBy({ path, expected, got }: OptionError): Refused {
  return { path, expected, got: got === 'undefined' || got === 'null' ? 'nothing' : printable(got) }
}

/** Of an unknown field the name is wrong, of any other the value. */
export function isUnknownField({ expected }: Refused): boolean {
  return expected.startsWith(words.unknownName)
}
