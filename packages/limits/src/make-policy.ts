import type { OptionError } from '@sluice/core'
import { policyFrom } from '@sluice/core/strategies'
import { withUnit } from './plain.ts'
import { ruleOf } from './rule.ts'
import type { Level } from './tree.ts'
import { printable } from './words.ts'

export type Made = Pick<Level, 'policy' | 'rule'>

/** What a strategy does not take, in the words of a file. */
export interface Refused {
  /** The option as core names it: `limits[1].window`. */
  readonly path: string
  readonly expected: string
  readonly got: string
}

const noSuchField = 'no such field'

/** The policy that data describes; policyFrom checks whatever it is given. */
export function makePolicy(data: Readonly<Record<string, unknown>>): Made | Refused {
  const { strategy, ...options } = data
  try {
    // A strategy that is missing or no text is refused as any unknown one.
    return { policy: policyFrom({ ...options, strategy: strategy as string }), rule: ruleOf(options) }
  } catch (error) {
    if (!isOptionError(error)) throw error
    return refusedBy(error)
  }
}

function isOptionError(error: unknown): error is OptionError {
  return error instanceof TypeError && 'code' in error && error.code === 'SLUICE_OPTION'
}

/** `period: expected …, got …` in its parts. */
function refusedBy({ message, path }: OptionError): Refused {
  const words = message.slice(`${path}: `.length)
  const [, expected = '', got = ''] = /^expected (.*?), got (.*)$/s.exec(words) ?? []
  return {
    path,
    expected: expected
      .replace('a positive duration such as "10s" or 10000', withUnit)
      .replace('no such option', noSuchField),
    got: got === 'undefined' || got === 'null' ? 'nothing' : printable(got),
  }
}

/** Of an unknown field the name is wrong, of any other the value. */
export function isUnknownField({ expected }: Refused): boolean {
  return expected.startsWith(noSuchField)
}
