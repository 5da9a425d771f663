import { optionError } from '../errors.ts'
import { booleanOption, checkNames, join, unknownNames, wholeNumber } from '../options.ts'
import { type Duration, durationUs } from '../units.ts'

/** An option of all strategies but those that count requests in flight. */
export interface BlockFor {
  /**
   * Blocks a key that is refused: it stays refused for this time, whatever its count, and for at least as long as the refused request
   * would have had to wait. @default no block
   *
   * @example fixedWindow({ limit: 5, window: '1m', blockFor: '10m' })
   */
  blockFor?: Duration | BlockForOptions | undefined
}

/**
 * Blocks that grow, and a ban after some of them.
 *
 * @example blockFor: { first: '1m', factor: 2, longest: '1d', banAfter: 5 } // 1, 2, 4, 8 and 16 minutes, then a ban
 */
export interface BlockForOptions {
  /** How long a key's first block lasts. */
  first: Duration
  /** How many times as long as the block before it each further block lasts: a whole number from 1 to 1000. @default 1 */
  factor?: number | undefined
  /** The longest block that `factor` leads to. @default '1d', or `first` if that is longer */
  longest?: Duration | undefined
  /** After this many blocks the next refusal is a ban: a whole number from 1 to 1000. @default no bans */
  banAfter?: number | undefined
  /** How long a ban lasts, unless `unblock` or `reset` ends it. @default '366d' */
  banFor?: Duration | undefined
  /** How long after its end a block still counts for `factor` and `banAfter`. @default '1d' */
  forgetAfter?: Duration | undefined
  /** Whether a request during a block makes it last for at least its whole length from then on. A ban is not prolonged. @default false */
  prolong?: boolean | undefined
}

/** How a policy blocks, in whole numbers. */
export interface Blocking {
  readonly firstUs: number
  readonly prolong: boolean
  readonly factor: number
  readonly longestUs: number
  /** 0: it never bans. */
  readonly banAfter: number
  readonly banUs: number
  readonly forgetUs: number
}

type Name = keyof BlockForOptions
type GivenBlocking = { readonly [name in Name]?: unknown }

const names: readonly Name[] = ['first', 'factor', 'longest', 'banAfter', 'banFor', 'forgetAfter', 'prolong']
/** The options that are times. */
export const blockForTimes: readonly Name[] = ['first', 'longest', 'banFor', 'forgetAfter']
const most = 1000
const dayUs = 86_400e6

/** Options that have no effect alone, each with the options of which it needs one beside it. */
const needs: readonly (readonly [Name, Name[]])[] = [
  ['longest', ['factor']],
  ['banFor', ['banAfter']],
  ['forgetAfter', ['factor', 'banAfter']],
]

/** Reads `blockFor`; an OptionError names the member. `words`: how errors in a file are worded. */
export function readBlockFor(
  value: unknown,
  path: string,
  words?: { readonly unknownName: string; readonly duration: string },
): Blocking {
  if (typeof value !== 'object' || value === null) {
    const expected = words?.duration ?? 'a duration such as "10m"'
    return {
      ...plain,
      firstUs: durationUs(value, path, `${expected}, or options such as { first: "1m", factor: 2 }`),
    }
  }
  checkNames(value, path, names, unknownNames(words))
  const given = value as GivenBlocking // as was just checked
  for (const [name, others] of needs) {
    if (given[name] === undefined || others.some((other) => given[other] !== undefined)) continue
    throw optionError(join(path, name), `${others.join(' or ')} beside it`, given[name])
  }
  const time = (name: Name, otherwise: number) =>
    given[name] === undefined ? otherwise : durationUs(given[name], join(path, name), words?.duration)
  const count = (name: Name, otherwise: number) =>
    given[name] === undefined ? otherwise : wholeNumber(given[name], join(path, name), 1, most)
  const firstUs = durationUs(given.first, join(path, 'first'), words?.duration)
  const longestUs = time('longest', Math.max(dayUs, firstUs))
  if (longestUs < firstUs)
    throw optionError(join(path, 'longest'), 'a duration no shorter than first', given.longest)
  return {
    firstUs,
    prolong: given.prolong !== undefined && booleanOption(given.prolong, join(path, 'prolong')),
    factor: count('factor', 1),
    longestUs,
    banAfter: count('banAfter', 0),
    banUs: time('banFor', 366 * dayUs),
    forgetUs: time('forgetAfter', dayUs),
  }
}

const plain = { prolong: false, factor: 1, longestUs: 0, banAfter: 0, banUs: 0, forgetUs: 0 }

/** Whether it matters how often a key has been blocked before. */
export function countsBlocks({ factor, banAfter }: Blocking): boolean {
  return factor > 1 || banAfter > 0
}

/** The length of a key's nth block, as block_for.lua computes it. */
export function blockUs({ firstUs, factor, longestUs }: Blocking, nth: number): number {
  if (factor === 1) return firstUs
  let us = firstUs
  for (let i = 1; i < nth && us < longestUs; i++) us = Math.min(us * factor, longestUs)
  return us
}

/** What block_for.lua reads behind the role of a check; `recordAt`: which of the check's arguments says where blocks are counted. */
export function blockText(blocking: Blocking, recordAt: number | undefined): string {
  const { firstUs, prolong, factor, longestUs, banAfter, banUs, forgetUs } = blocking
  const text = `:${firstUs}:${prolong ? 1 : 0}`
  return recordAt === undefined
    ? text
    : `${text}:${factor}:${longestUs}:${banAfter}:${banUs}:${forgetUs}:${recordAt}`
}
