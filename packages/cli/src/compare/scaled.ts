import { durationUs } from '@sluice/core/internal'
import { type PolicyData, spanText } from './policy-text.ts'

const amounts = ['limit', 'count', 'capacity']

/**
 * The policy with so many times its numbers, rounded down, and its times as they are; of a gate, which has no number, the interval.
 * undefined where one would be 0. The data are those of a policy that could be made.
 */
export function scaled(data: PolicyData, times: number): PolicyData | undefined {
  const entries = Object.entries(data).map(
    ([name, value]) => [name, scaledValue(name, value, times)] as const,
  )
  return entries.some(([, value]) => value === undefined)
    ? undefined
    : { ...data, ...Object.fromEntries(entries) }
}

function scaledValue(name: string, value: unknown, times: number): unknown {
  if (amounts.includes(name)) return atLeastOne(Number(value) * times)
  if (name === 'interval') return spanText(Math.max(1000, Math.floor(durationUs(value, name) / times)))
  if (name === 'burst') {
    const capacity = atLeastOne((Number(value) + 1) * times)
    return capacity === undefined ? undefined : capacity - 1
  }
  if (name !== 'limits' || !Array.isArray(value)) return value ?? null
  const limits = value.map((each) => ({ ...each, limit: atLeastOne(each.limit * times) }))
  return limits.some(({ limit }) => limit === undefined) ? undefined : limits
}

function atLeastOne(amount: number): number | undefined {
  return amount < 1 ? undefined : Math.floor(amount)
}
