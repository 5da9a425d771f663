import type { Policy } from '@sluice/core'

/** How many times longer a policy is first made. */
const scale = 1000

/**
 * A policy whose spans may be a few µs, where instants collide: shorter than options take, but the arithmetic is the same. `make`
 * says each of its durations by `duration`.
 */
export function withSpans(make: (duration: (us: number) => number) => Policy): Policy {
  let short = false
  const longer = make((us) => {
    short ||= us > 0 && us < 1000
    return us // milliseconds
  })
  return short ? shortened(longer) : make((us) => us / 1000)
}

type Numbers = Readonly<Record<string, unknown>>
interface Definition {
  readonly redis: { encode(numbers: Numbers): readonly number[] }
  windowUsOf?(numbers: Numbers): number
}

/** What makes a policy of numbers is core's own: this one has the same parts. */
function shortened(longer: Policy): Policy {
  const definition: Definition = Reflect.get(longer, 'definition')
  const numbers = Object.freeze(scaled(Reflect.get(longer, 'numbers')) as Numbers) // an object stays one
  const windowUs = definition.windowUsOf?.(numbers)
  const policy = { ...longer, windowMs: windowUs === undefined ? null : Math.ceil(windowUs / 1000) }
  const parts = {
    definition,
    numbers,
    args: definition.redis.encode(numbers).map(String),
    value: `${longer.strategy} ${JSON.stringify(numbers)}`,
    units: longer.limit,
    scale: 1,
  }
  for (const [name, value] of Object.entries(parts)) Object.defineProperty(policy, name, { value })
  return Object.freeze(policy)
}

function scaled(value: unknown, name = ''): unknown {
  if (typeof value === 'number') return name.endsWith('Us') ? value / scale : value
  if (Array.isArray(value)) return value.map((each) => scaled(each))
  if (typeof value !== 'object' || value === null) return value
  const numbers = Object.fromEntries(Object.entries(value).map(([each, at]) => [each, scaled(at, each)]))
  const { flow, parts } = numbers
  return typeof flow === 'number' && typeof parts === 'number'
    ? { ...numbers, ...lowest(flow * scale, parts) }
    : numbers
}

/** A bucket keeps its rate in lowest terms. */
function lowest(flow: number, parts: number): { flow: number; parts: number } {
  let [a, b] = [flow, parts]
  while (b > 0) [a, b] = [b, a % b]
  return { flow: flow / a, parts: parts / a }
}
