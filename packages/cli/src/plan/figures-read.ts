/** The median of the rounds, and the quartiles around it. */
interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** Bytes on the way for one call: to the server, back, and on to each replica. */
export interface Wire {
  readonly question: number
  readonly answer: number
  readonly replica: number
}

/** A call that asks one policy of a strategy, with a key of this many units for each of the times. */
interface Call extends Wire {
  /** The bytes of a call that asks a policy of `gcra` too. */
  readonly withGcra: Wire
  /** The bytes of a call that asks a policy of `uniform` too, which goes through the general script. */
  readonly withUniform: Wire
  readonly sizes: readonly number[]
  readonly cpuUs: readonly Spread[]
}

/** The figures that were measured, and the machine and the server that they were measured on. */
export interface Figures {
  readonly on: {
    readonly day: string
    readonly redis: string
    readonly allocator: string
    readonly node: string
    readonly cores: number
    readonly processor: string
    readonly system: string
  }
  /** How many more bytes a name takes than one of a single character: `bytes[i]` for up to `upTo[i]` characters. */
  readonly names: {
    /** Characters that the name of a state has beside its key. */
    readonly besideKey: number
    readonly upTo: readonly number[]
    readonly bytes: readonly number[]
  }
  /** How many more bytes a server of a cluster keeps for each key than another server. */
  readonly clusterBytes: number
  /** Bytes of a key by its units, a name of a single character included, for each kind (see `kindOf`). */
  readonly states: {
    readonly [kind: string]: { readonly units: readonly number[]; readonly bytes: readonly number[] }
  }
  /** Extra bytes of a `gcra` key whose interval is not one or two digits and zeros, by the number of its digits. */
  readonly longGcra: { readonly upTo: readonly number[]; readonly bytes: readonly number[] }
  readonly calls: { readonly [kind: string]: Call }
  /** Calls that ask several policies of `gcra`. */
  readonly several: readonly (Wire & { readonly count: number; readonly cpuUs: Spread })[]
  /** Calls that ask several policies of `uniform`. */
  readonly severalInGeneral: readonly (Wire & { readonly count: number })[]
}

/** The name under which a policy is measured: its strategy, and an option that gives its policies another state. */
export function kindOf({ strategy, maxDebt, unit }: KindData): string {
  if (isOwnDebt(strategy) || maxDebt === undefined)
    return unit === undefined ? strategy : `${strategy} with unit`
  return `${strategy} with maxDebt`
}

/** The part of a policy's data that says what kind it is. */
interface KindData {
  readonly strategy: string
  readonly maxDebt?: unknown
  readonly unit?: unknown
}

/** Whether policies of a strategy have `maxDebt` in any case, as those with a rate do. */
export function isOwnDebt(strategy: string): boolean {
  return ['gcra', 'tokenBucket', 'leakyBucket', 'uniform'].includes(strategy)
}

/** Where all policies of a limiter are of these strategies, they have a script with their numbers, and a call brings only keys. */
const short: readonly string[] = ['fixedWindow', 'slidingWindowCounter', 'gcra', 'tokenBucket', 'leakyBucket']

/** The length of the key that calls were measured with. */
export const measuredKeyLength = 16

export function nameBytes({ names: { besideKey, upTo, bytes } }: Figures, keyLength: number): number {
  const at = upTo.findIndex((most) => besideKey + keyLength <= most)
  return bytes[at] ?? bytes.at(-1) ?? 0
}

/** Bytes of a state: between two measured sizes in a straight line, beyond the last one as between the last two. */
export function stateBytes({ states }: Figures, kind: string, units: number): number {
  // A kind that was not measured by itself is stored as the plain strategy is.
  const { units: sizes = [], bytes = [] } = states[kind] ?? states[kind.split(' ')[0] ?? ''] ?? {}
  return between(sizes, bytes, units, 'goes on')
}

/** `digits`: how many digits the interval has in the state of a key. */
export function longGcraBytes({ longGcra: { upTo, bytes } }: Figures, digits: number): number {
  const at = upTo.findIndex((most) => digits <= most)
  return bytes[at] ?? bytes.at(-1) ?? 0
}

type Figure = keyof Wire | 'us'

/** What a call costs, and what each of its policies adds: a single policy is asked by a script of its own, several by another. */
export interface CallCost {
  readonly base: number
  readonly added: readonly number[]
  readonly sum: number
}

/** `units`: how many units the key of each policy has. */
export function callCost(
  { calls, several, severalInGeneral }: Figures,
  of: Figure,
  policies: readonly { readonly kind: string; readonly units: number }[],
): CallCost {
  const alone = policies.map(({ kind, units }) => figureOf(calls[kind], of, units))
  if (alone.length === 1) return { base: 0, added: alone, sum: alone[0] ?? 0 }
  const isShort = policies.every(({ kind }) => short.includes(kind))
  const { base, each } =
    of === 'us'
      ? lineThrough(several.map(({ count, cpuUs }) => [count, cpuUs.median]))
      : lineThrough((isShort ? several : severalInGeneral).map((call) => [call.count, call[of]]))
  const added = policies.map(({ kind }, i) => {
    // In CPU time, strategies differ here as they differ in calls of a single policy.
    if (of === 'us') return each + (alone[i] ?? 0) - figureOf(calls.gcra, of, 1)
    const call = calls[kind]
    return ((isShort ? call?.withGcra : call?.withUniform)?.[of] ?? Number.NaN) - base - each
  })
  return { base, added, sum: added.reduce((all, one) => all + one, base) }
}

/** What a call itself costs, and what each of its policies adds. */
function lineThrough([few, many]: readonly (readonly [count: number, value: number])[]): {
  readonly base: number
  readonly each: number
} {
  const [fewer, less] = few ?? [0, Number.NaN]
  const [more, most] = many ?? [1, Number.NaN]
  const each = (most - less) / (more - fewer)
  return { base: less - fewer * each, each }
}

function figureOf(call: Call | undefined, of: Figure, units: number): number {
  if (call === undefined) return Number.NaN
  if (of !== 'us') return call[of]
  return between(
    call.sizes,
    call.cpuUs.map(({ median }) => median),
    units,
    'stays',
  )
}

function between(
  sizes: readonly number[],
  values: readonly number[],
  size: number,
  beyond: 'stays' | 'goes on',
): number {
  const last = sizes.length - 1
  const next = sizes.findIndex((each) => each >= size)
  if (next === 0 || last === 0) return values[0] ?? Number.NaN
  if (next === -1 && beyond === 'stays') return values[last] ?? Number.NaN
  const to = next === -1 ? last : next
  const [fromSize = 0, toSize = 0] = [sizes[to - 1], sizes[to]]
  const [from = 0, upTo = 0] = [values[to - 1], values[to]]
  return from + ((upTo - from) * (size - fromSize)) / (toSize - fromSize)
}
