import { type DeclaredStrategy, declaredStrategies, optionError } from '@sluice/core/internal'
import { forms, type PolicyData, spanText } from '../policy-text.ts'
import { least } from './least.ts'

/** Whether a policy refuses few enough. */
export type Passes = (data: PolicyData) => Promise<boolean>

const mostUnits = 1_000_000
const longestMs = 3_600_000

/** What is suggested where no policy is named. */
export const usual: readonly PolicyData[] = [
  { strategy: 'gcra', count: 1, period: '1m' },
  { strategy: 'slidingWindowLog', limit: 1, window: '1m' },
  { strategy: 'fixedWindow', limit: 1, window: '1m' },
]

type Seeker = (data: PolicyData, passes: Passes) => Promise<PolicyData | undefined>

/** How the tightest numbers of a strategy are found, by what its options say of scaling; undefined: they are not sought. */
function seekerFor({ options, rule: { units, span } }: DeclaredStrategy): Seeker | undefined {
  if (units === undefined) return span === undefined ? undefined : ofInterval(span)
  const amounts = Object.entries(options).flatMap(([name, option]) =>
    option.kind === 'count' && option.scales !== undefined ? [{ name, ...option }] : [],
  )
  const rate = amounts.find(({ name }) => name === units)
  const [capacity, ...more] = amounts.filter(({ name }) => name !== units)
  if (rate === undefined || more.length > 0) return undefined
  if (capacity !== undefined) return ofFlow(units, capacity)
  const most = typeof rate.max === 'number' ? rate.max : mostUnits
  return (data, passes) => tightestOf(passes, most, (number) => ({ ...data, [units]: number }))
}

function ofFlow(count: string, { name, scales }: { name: string; scales?: string | undefined }): Seeker {
  const first = scales === 'extra' ? 1 : 0
  return (data, passes) =>
    tightestFlow(passes, (rate, capacity) => ({ ...data, [count]: rate, [name]: capacity - first }))
}

/** The longest interval is the tightest. */
function ofInterval(name: string): Seeker {
  return (data, passes) =>
    tightestOf(passes, longestMs, (shorter) => ({
      ...data,
      [name]: spanText((longestMs + 1 - shorter) * 1000),
    }))
}

const seekers: ReadonlyMap<string, Seeker> = new Map(
  Object.keys(forms).flatMap((name) => {
    const declared = declaredStrategies.get(name)
    const seek = declared && seekerFor(declared)
    return seek === undefined ? [] : [[name, seek]]
  }),
)

/** Seeks the tightest numbers with the strategy and the times of a policy; undefined where none pass. Throws an OptionError. */
export function seekerOf(data: PolicyData): (passes: Passes) => Promise<PolicyData | undefined> {
  const seek = seekers.get(data.strategy)
  if (seek !== undefined) return (passes) => seek(data, passes)
  throw optionError('strategy', `one of ${[...seekers.keys()].join(', ')} for --suggest`, data.strategy)
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
