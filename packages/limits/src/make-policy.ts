import { isOptionError, type OptionError } from '@sluice/core'
import { catalogue } from '@sluice/core/internal'
import { ruleOf } from './rule.ts'
import type { Level } from './tree.ts'
import { printable } from './words.ts'

export type Made = Pick<Level, 'policy' | 'rule'>

/** An option that a strategy does not accept. */
export interface Refused {
  /** The option's path in core: `limits[1].window`. */
  readonly path: string
  readonly expected: string
  readonly got: string
}

export const withUnit = 'a duration with a unit such as "10s"'

/** Wording for options in a file. */
const words = { duration: withUnit, unknownName: 'a known field' }

/** Creates a policy from data; core checks it. */
export function makePolicy(data: Readonly<Record<string, unknown>>): Made | Refused {
  const { strategy, ...options } = data
  try {
    // A strategy that is missing or not a string is refused like an unknown one.
    const name = strategy as string
    return {
      policy: catalogue.policyOfData({ ...options, strategy: name }, words),
      rule: ruleOf(name, options),
    }
  } catch (error) {
    if (!isOptionError(error)) throw error
    return refusedBy(error)
  }
}

function refusedBy({ path, expected, got }: OptionError): Refused {
  return { path, expected, got: got === 'undefined' || got === 'null' ? 'nothing' : printable(got) }
}

/** Whether the name is wrong, not the value. */
export function isUnknownField({ expected }: Refused): boolean {
  return expected.startsWith(words.unknownName)
}
