import { optionError } from '../errors.ts'
import { nearest } from '../options.ts'
import { markMaker, type Policy } from '../policy.ts'
import * as strategies from './list.ts'

export * from './list.ts'

type Maker = (options: never) => Policy

const makers: ReadonlyMap<string, Maker> = new Map(Object.entries<Maker>(strategies))

/**
 * A policy from data, as a file or a database holds it.
 *
 * @example policyFrom({ strategy: 'gcra', count: 100, period: '1m' })
 */
export function policyFrom(data: { readonly strategy: string; readonly [option: string]: unknown }): Policy {
  const { strategy, ...options } = data ?? { strategy: undefined }
  const maker = typeof strategy === 'string' ? makers.get(strategy) : undefined
  // Each constructor checks whatever it is given.
  if (maker !== undefined) return maker(options as never)
  const names = [...makers.keys()]
  const near = typeof strategy === 'string' ? nearest(strategy, names) : undefined
  const hint = near === undefined ? '' : ` (did you mean "${near}"?)`
  throw optionError('strategy', `one of ${names.join(', ')}${hint}`, strategy)
}
markMaker(policyFrom)
