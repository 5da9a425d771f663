import { readBlockFor } from './block-for.ts'
import type { BlockForOption, CountOption, DurationOption, StrategyOption } from './options.ts'

/** The same option but for what is said here. A spread in its place would keep bundlers from leaving a strategy out. */
/* @__NO_SIDE_EFFECTS__ */
export function like<Option extends StrategyOption>(option: Option, changes: Partial<Option>): Option {
  return { ...option, ...changes }
}

/** 0 refuses all. */
export const limit: CountOption = {
  kind: 'count',
  min: 0,
  scales: 'amount',
  example: 100,
}

export const window: DurationOption = {
  kind: 'duration',
  example: '10s',
}

export const count: CountOption = {
  kind: 'count',
  min: 0,
  scales: 'amount',
  example: 100,
}

export const period: DurationOption = {
  kind: 'duration',
  example: '1m',
}

/** For strategies with a rate. */
export const maxDebt: DurationOption = {
  kind: 'duration',
  zero: true,
  default: '1m',
}

/** For all strategies but those that count requests in flight. */
export const blockFor: BlockForOption = {
  kind: 'blockFor',
  read: (value, { name, words }) => (value === undefined ? undefined : readBlockFor(value, name, words)),
  default: {
    words: 'no block',
    of: () => 0,
  },
}

/** The highest limit of strategies that keep an entry per unit. */
export const maxEntries = 100_000

/** How many entries one call may add: a penalty may be larger than any limit, and each entry takes time and room. */
export function mostAtOnce(limit: number): number {
  return limit + 1000
}
