import { optionError } from '@sluice/core/internal'
import { type PolicyData, spanText } from '../policy-text.ts'
import { least } from './least.ts'

/** Whether a policy refuses few enough. */
export type Passes = (data: PolicyData) => Promise<boolean>

const mostUnits = 1_000_000
/** No attributed window holds more. */
const mostNotes = 100_000
const longestMs = 3_600_000

/** What is suggested where no policy is named. */
export const usual: readonly PolicyData[] = [
  { strategy: 'gcra', count: 1, period: '1m' },
  { strategy: 'slidingWindowLog', limit: 1, window: '1m' },
  { strategy: 'fixedWindow', limit: 1, window: '1m' },
]

type Seeker = (data: PolicyData, passes: Passes) => Promise<PolicyData | undefined>

const ofWindow: Seeker = (data, passes) => tightestOf(passes, mostUnits, (limit) => ({ ...data, limit }))
const ofBucket: Seeker = (data, passes) =>
  tightestFlow(passes, (count, capacity) => ({ ...data, count, capacity }))

/** How the tightest numbers of each strategy are found. */
const seekers: Readonly<Record<string, Seeker>> = {
  slidingWindowLog: ofWindow,
  slidingWindowCounter: ofWindow,
  fixedWindow: ofWindow,
  attributedWindow: (data, passes) => tightestOf(passes, mostNotes, (limit) => ({ ...data, limit })),
  gcra: (data, passes) =>
    tightestFlow(passes, (count, capacity) => ({ ...data, count, burst: capacity - 1 })),
  tokenBucket: ofBucket,
  leakyBucket: ofBucket,
  // The longest interval is the tightest.
  uniform: (data, passes) =>
    tightestOf(passes, longestMs, (shorter) => ({
      ...data,
      interval: spanText((longestMs + 1 - shorter) * 1000),
    })),
}

/** Seeks the tightest numbers with the strategy and the times of a policy; undefined where none pass. Throws an OptionError. */
export function seekerOf(data: PolicyData): (passes: Passes) => Promise<PolicyData | undefined> {
  const seek = seekers[data.strategy]
  if (seek !== undefined) return (passes) => seek(data, passes)
  throw optionError('strategy', `one of ${Object.keys(seekers).join(', ')} for --suggest`, data.strategy)
}

async function tightestOf(
  passes: Passes,
  most: number,
  policy: (number: number) => PolicyData,
): Promise<PolicyData | undefined> {
  const number = await least(most, (candidate) => passes(policy(candidate)))
  return number === undefined ? undefined : policy(number)
}

/** First rate and capacity as one number, then as little capacity as that rate needs, then as little rate as that capacity needs. */
async function tightestFlow(
  passes: Passes,
  policy: (count: number, capacity: number) => PolicyData,
): Promise<PolicyData | undefined> {
  const both = await least(mostUnits, (number) => passes(policy(number, number)))
  if (both === undefined) return undefined
  const capacity = (await least(both, (number) => passes(policy(both, number)))) ?? both
  const count = (await least(both, (number) => passes(policy(number, capacity)))) ?? both
  return policy(count, capacity)
}
