import type { PerPolicy } from '../decision/decision.ts'
import type { Lane } from '../decision/lane.ts'
import { forPolicy, memberOf, unitsByPolicy } from '../decision/per-policy.ts'
import { optionError } from '../errors.ts'
import { isRecord, join, noSuchOption } from '../options.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import { finestScale, readAmount, unitsOf } from '../strategies/unit.ts'
import { checkPerPolicy, readName } from './policy-names.ts'

/** What each kind of request costs: units, for all policies or by policy. */
export type Prices<N extends string = string> = { readonly [kind: string]: PerPolicy<N, number> }

/** Reads the option `prices`. `names`: of the policies; undefined where they are not known beforehand. */
export function readPrices(
  prices: Prices | undefined,
  names: readonly string[] | undefined,
): Prices | undefined {
  if (prices === undefined) return undefined
  if (!isRecord(prices) || Object.keys(prices).length === 0)
    throw optionError('prices', 'units by kind of request such as { read: 1, write: 5 }', prices)
  for (const [kind, price] of Object.entries(prices)) {
    const path = join('prices', kind)
    readName(kind, path)
    if (price === undefined) throw optionError(path, unitsByPolicy, price)
    checkPerPolicy(price, { path, names }, readPrice)
  }
  return Object.freeze({ ...prices })
}

/** Accepts all digits that any policy can count; `checkPrices` reads them once more when the policies are known. */
function readPrice(value: unknown, path: string): number {
  const isAmount = typeof value === 'number' && Number.isSafeInteger(unitsOf(value, finestScale))
  return isAmount ? value : readAmount(value, path, 1)
}

/** Reads the prices once more, as the policies count them. */
export function checkPrices(prices: Prices | undefined, lanes: readonly Lane[]): void {
  for (const [kind, price] of Object.entries(prices ?? {})) {
    for (const { name, policy } of lanes) {
      const path = join('prices', kind)
      const isOne = typeof price === 'number'
      if (policy !== null)
        readAmount(forPolicy(price, name, 1), isOne ? path : join(path, name), partsOf(policy).scale)
    }
  }
}

/** What a question costs a policy: units as they are said, or the price of its kind. */
export function costFor(
  cost: PerPolicy<string, number> | string | undefined,
  name: string,
  prices: Prices | undefined,
): number {
  return forPolicy(typeof cost === 'string' ? priceOf(cost, prices) : cost, name, 1)
}

/** The price of a kind; throws an OptionError where there is none. */
function priceOf(kind: string, prices: Prices | undefined): PerPolicy<string, number> {
  const price = prices && memberOf(prices, kind)
  if (price !== undefined) return price
  if (prices === undefined)
    throw optionError('cost', 'a whole number of at least 0, as there are no `prices`', kind)
  throw optionError(
    'cost',
    noSuchOption(kind, Object.keys(prices), 'a kind of request that has a price'),
    kind,
  )
}

/** The kind of request, if the question names one as its cost. */
export function kindOf(options: { readonly cost?: unknown } | undefined): string | undefined {
  return typeof options?.cost === 'string' ? options.cost : undefined
}
