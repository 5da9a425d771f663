import type { Policy } from '../../policy.ts'
import type { AnyStrategy } from '../definition.ts'
import { strategyOfCode } from '../listed.ts'
import { type Picture, rateWindowUs, spanWords } from '../picture.ts'
import { partsOf } from '../policy-parts.ts'
import { type Words, words } from './words.ts'

/** The words of a strategy in the list; undefined for any other. Compares name and code, as an application may hold two copies of core. */
export function wordsOf({ name, code }: Pick<AnyStrategy, 'name' | 'code'>): Words<unknown> | undefined {
  // biome-ignore lint/suspicious/noExplicitAny: numbers are only passed to the words of the strategy that they belong to
  const byName: { readonly [strategy: string]: Words<any> | undefined } = words
  return strategyOfCode(code)?.name === name ? byName[name] : undefined
}

/** How pages and reports describe and draw a policy. */
export function pictureOf(policy: Policy): Picture {
  const { definition, numbers: counted, stated: numbers = counted, scale } = partsOf(policy)
  const { strategy: title, limit } = policy
  const picture = scale === 1 ? (wordsOf(definition) ?? definition).picture?.(numbers) : undefined
  if (picture !== undefined) return limit > 0 ? picture : { ...picture, rule: 'refuses all' }
  const windowUs = definition.windowUsOf?.(numbers)
  if (windowUs === undefined)
    return { title, rule: `limit ${limit}`, windowUs: rateWindowUs, most: null, shape: 'none' }
  return { title, rule: `${limit} in ${spanWords(windowUs)}`, windowUs, most: limit, shape: 'none' }
}
