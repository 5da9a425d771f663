/**
 * The numbers of a policy as it was written, in one line: `30 per 60s, burst 15`. Rates and windows read the same for every
 * strategy, a limit without a time is `5 at once`; whatever else an option is called stands behind its name.
 */
export function ruleOf(options: Readonly<Record<string, unknown>>): string {
  const { count, period, limit, window, interval, limits, ...others } = options
  const rates = [
    rate(count, period),
    rate(limit, window),
    limit === undefined || window !== undefined ? undefined : `${limit} at once`,
    interval === undefined ? undefined : `1 per ${interval}`,
    Array.isArray(limits) ? limits.map((each) => rate(each?.limit, each?.window)).join(' and ') : undefined,
  ]
  const rest = Object.entries(others).map(([name, value]) => `${name} ${value}`)
  return [...rates.filter((each) => each !== undefined), ...rest].join(', ')
}

function rate(units: unknown, time: unknown): string | undefined {
  return units === undefined || time === undefined ? undefined : `${units} per ${time}`
}
