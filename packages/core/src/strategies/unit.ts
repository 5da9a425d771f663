import { optionError } from '../errors.ts'
import type { StrategyOptions } from './options.ts'

/** The smallest amount that a policy counts: costs and limits have as many digits behind the point. */
export type Unit = 1 | 0.1 | 0.01 | 0.001 | 0.0001 | 0.00001 | 0.000001

/** An option of all strategies that count units. */
export interface Fractions {
  /**
   * The smallest amount that is counted: costs and limits may have as many digits behind the point, and are counted exactly. A policy
   * with another unit counts apart. @default 1
   *
   * @example unit: 0.01
   */
  unit?: Unit | undefined
}

const digitsOf = new Map<unknown, number>(
  [1, 0.1, 0.01, 0.001, 0.0001, 0.00001, 0.000001].map((unit, i) => [unit, i]),
)

/** How many units are an amount of 1. */
export function readUnit(unit: unknown, path: string): number {
  const digits = digitsOf.get(unit)
  if (digits !== undefined) return 10 ** digits
  throw optionError(path, 'one of 1, 0.1, 0.01, 0.001, 0.0001, 0.00001 and 0.000001', unit)
}

/** The most units that an amount of 1 may be. */
export const finestScale = 1e6

/** Decimal fractions are not exact in binary: an amount within a thousandth of a unit counts as a whole number of them. */
const nearly = 1e-3

/** An amount in whole units; NaN where it has more digits, is below 0, or its units are too many to be exact. */
export function unitsOf(amount: number, scale: number): number {
  if (scale === 1) return Number.isSafeInteger(amount) && amount >= 0 ? amount : Number.NaN
  const whole = Math.trunc(amount)
  // This subtraction is exact in binary, so that nothing of a large amount is lost before the rounding.
  const fraction = (amount - whole) * scale
  const units = whole * scale + Math.round(fraction)
  // A large amount is itself no more exact than this.
  const most = nearly + amount * scale * Number.EPSILON
  const isExact = Math.abs(fraction - Math.round(fraction)) <= most
  return isExact && amount >= 0 && units <= Number.MAX_SAFE_INTEGER ? units : Number.NaN
}

/** What was expected of an amount. */
function amountWords(scale: number): string {
  if (scale === 1) return 'a whole number of at least 0'
  return `a number of at least 0 with at most ${Math.log10(scale)} digits behind the point, and at most ${Math.floor(Number.MAX_SAFE_INTEGER / scale)}`
}

/** Options as a strategy without fractions reads them: all that is counted in whole units. */
export function optionsInUnits(declared: StrategyOptions, given: object, scale: number): object {
  const counted: { [name: string]: unknown } = { ...given }
  for (const [name, option] of Object.entries(declared)) {
    const value = counted[name]
    if (value === undefined) continue
    if (option.kind === 'count' && option.scales !== undefined) {
      // `extra` leaves out the first unit alone: the other units of the first amount of 1 are extra.
      const first = option.scales === 'extra' ? 1 : 0
      counted[name] = readAmount(value, name, scale) + first * (scale - 1)
    }
    if (option.kind === 'windows' && option.inUnits !== undefined)
      counted[name] = option.inUnits(value, name, scale)
  }
  return counted
}

/** An amount as it was written, in units. `whole`: what was expected of a policy that counts whole amounts. */
export function readAmount(value: unknown, path: string, scale: number, whole?: string): number {
  const units = typeof value === 'number' ? unitsOf(value, scale) : Number.NaN
  if (Number.isSafeInteger(units)) return units
  throw optionError(path, (scale === 1 && whole) || amountWords(scale), value)
}
