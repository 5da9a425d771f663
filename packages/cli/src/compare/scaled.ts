import { catalogue, durationUs } from '@sluice/core/internal'
import { type PolicyData, spanText } from './policy-text.ts'

/**
 * The policy with its numbers multiplied and rounded down, and unchanged times; `uniform`, which has no number, scales its interval.
 * undefined if a number would become 0. The data must be those of a valid policy.
 */
export function scaled(data: PolicyData, times: number): PolicyData | undefined {
  const options = catalogue.declaredStrategies.get(data.strategy)?.options ?? {}
  const entries = Object.entries(data).map(
    ([name, value]) => [name, scaledValue(options[name], value, times)] as const,
  )
  return entries.some(([, value]) => value === undefined)
    ? undefined
    : { ...data, ...Object.fromEntries(entries) }
}

function scaledValue(option: catalogue.StrategyOption | undefined, value: unknown, times: number): unknown {
  if (option?.kind === 'windows' && Array.isArray(value)) return scaledWindows(value, times)
  if (option?.kind === 'count' && option.scales !== undefined) {
    const first = option.scales === 'extra' ? 1 : 0
    const amount = atLeastOne((Number(value) + first) * times)
    return amount === undefined ? undefined : amount - first
  }
  if (option?.kind === 'duration' && option.scales === 'inverse')
    return spanText(Math.max(1000, Math.floor(durationUs(value, 'span') / times)))
  return value ?? null
}

function scaledWindows(windows: readonly { readonly limit: number }[], times: number): unknown {
  const limits = windows.map((each) => ({ ...each, limit: atLeastOne(each.limit * times) }))
  return limits.some(({ limit }) => limit === undefined) ? undefined : limits
}

function atLeastOne(amount: number): number | undefined {
  return amount < 1 ? undefined : Math.floor(amount)
}
