import { catalogue, optionError } from '@sluice/core/internal'
import { forms, type PolicyData, spanText } from '../policy-text.ts'
import { least } from './least.ts'

/** Whether a policy refuses few enough clients. */
export type Passes = (data: PolicyData) => Promise<boolean>

const maxUnits = 1_000_000
const maxIntervalMs = 3_600_000

/** The policies to search for by default. */
export const usual: readonly PolicyData[] = [
  { strategy: 'gcra', count: 1, period: '1m' },
  { strategy: 'slidingWindowLog', limit: 1, window: '1m' },
  { strategy: 'fixedWindow', limit: 1, window: '1m' },
]

type Search = (data: PolicyData, passes: Passes) => Promise<PolicyData | undefined>

/** How to find the tightest numbers of a strategy, from how its options scale; undefined if that is not supported. */
function searchFor({ options, rule: { units, span } }: catalogue.DeclaredStrategy): Search | undefined {
  if (units === undefined) return span === undefined ? undefined : ofInterval(span)
  const amounts = Object.entries(options).flatMap(([name, option]) =>
    option.kind === 'count' && option.scales !== undefined ? [{ name, ...option }] : [],
  )
  const rate = amounts.find(({ name }) => name === units)
  const [capacity, ...more] = amounts.filter(({ name }) => name !== units)
  if (rate === undefined || more.length > 0) return undefined
  if (capacity !== undefined) return ofFlow(units, capacity)
  const most = typeof rate.max === 'number' ? rate.max : maxUnits
  return (data, passes) => tightestOf(passes, most, (number) => ({ ...data, [units]: number }))
}

function ofFlow(count: string, { name, scales }: { name: string; scales?: string | undefined }): Search {
  const first = scales === 'extra' ? 1 : 0
  return (data, passes) =>
    tightestFlow(passes, (rate, capacity) => ({ ...data, [count]: rate, [name]: capacity - first }))
}

/** The longest interval is the tightest. */
function ofInterval(name: string): Search {
  return (data, passes) =>
    tightestOf(passes, maxIntervalMs, (shorter) => ({
      ...data,
      [name]: spanText((maxIntervalMs + 1 - shorter) * 1000),
    }))
}

const searches: ReadonlyMap<string, Search> = new Map(
  Object.keys(forms).flatMap((name) => {
    const declared = catalogue.declaredStrategies.get(name)
    const seek = declared && searchFor(declared)
    return seek === undefined ? [] : [[name, seek]]
  }),
)

/** Finds the tightest numbers for the strategy and times of a policy; undefined if none pass. Throws an OptionError. */
export function searchOf(data: PolicyData): (passes: Passes) => Promise<PolicyData | undefined> {
  const seek = searches.get(data.strategy)
  if (seek !== undefined) return (passes) => seek(data, passes)
  throw optionError('strategy', `one of ${[...searches.keys()].join(', ')} for --suggest`, data.strategy)
}

async function tightestOf(
  passes: Passes,
  most: number,
  policy: (number: number) => PolicyData,
): Promise<PolicyData | undefined> {
  const number = await least(most, (candidate) => passes(policy(candidate)))
  return number === undefined ? undefined : policy(number)
}

/** Searches for rate and capacity as one number, then for the smallest capacity with that rate, then for the smallest rate with that capacity. */
async function tightestFlow(
  passes: Passes,
  policy: (count: number, capacity: number) => PolicyData,
): Promise<PolicyData | undefined> {
  const both = await least(maxUnits, (number) => passes(policy(number, number)))
  if (both === undefined) return undefined
  const capacity = (await least(both, (number) => passes(policy(both, number)))) ?? both
  const count = (await least(both, (number) => passes(policy(number, capacity)))) ?? both
  return policy(count, capacity)
}
