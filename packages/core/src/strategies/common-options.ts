import type { Duration } from '../units.ts'
import { readBlockFor } from './block-for.ts'
import type { BlockForOption, CountOption, DurationOption, StrategyOption } from './options.ts'

/** The same option but for what is said here. A spread in its place would keep bundlers from leaving a strategy out. */
/* @__NO_SIDE_EFFECTS__ */
export function like<Option extends StrategyOption>(option: Option, changes: Partial<Option>): Option {
  return { ...option, ...changes }
}

/** 0 refuses all. */
export const limit: CountOption = { kind: 'count', min: 0, scales: 'amount', example: 100 }

export const window: DurationOption = { kind: 'duration', example: '10s' }

export const period: DurationOption = { kind: 'duration', example: '1m' }

/** For strategies that want the note of a call. */
export const noteBytes: CountOption = { kind: 'count', max: 1024, default: 64 }

/** For strategies with a rate. */
export const maxDebt: DurationOption = { kind: 'duration', zero: true, default: '1m' }

/** For all strategies but those that count requests in flight. */
export const blockFor: BlockForOption = {
  kind: 'blockFor',
  read: (value, { name, words }) => (value === undefined ? undefined : readBlockFor(value, name, words)),
  default: { words: 'no block', of: () => 0 },
}

/** What strategies can that count units. */
export const unitAbilities = ['refund', 'penalize', 'reward'] as const

/** The same of those whose callers may wait. */
export const rateAbilities = ['reserve', 'refund', 'penalize', 'reward'] as const

/** The highest limit of strategies that keep an entry per unit. */
export const maxEntries = 100_000

/** How many entries one call may add: a penalty may be larger than any limit, and each entry takes time and room. */
export function mostAtOnce(limit: number): number {
  return limit + 1000
}

/** An option of the strategies with a rate: how far a charge may go into the future. */
export interface Debt {
  /** The longest debt beyond what a check can use; for longer penalties use `block`. @default '1m' */
  maxDebt?: Duration | undefined
}

/** The part of a strategy's numbers that says whether the policy was chosen for one call. */
export interface MaybeChosen {
  readonly chosen?: true
}

/** The numbers of a policy that was chosen for one call. */
export function asChosen<Numbers extends MaybeChosen>(numbers: Numbers): Numbers {
  return { ...numbers, chosen: true }
}

/** One process's share of a limit: rounded down, but at least 1 unless the limit is 0, as a process would otherwise refuse everything. */
export function shareOf(limit: number, processes: number): number {
  return Math.min(limit, Math.max(1, Math.floor(limit / processes)))
}
