/** The clients of a test, and their timing. */
export interface Crowd {
  /** The number of distinct clients at any time. */
  readonly names: number
  /** Whether a new client replaces another one in each loop. */
  readonly newcomers: boolean
  /** `rush`: few at first, very many from the eighth second on, then many. */
  readonly pace: 'steady' | 'rush'
  /** The longest delay of a client after its loop has begun. */
  readonly maxDelayMs: number
}

/** One request of one client. */
export interface Ask {
  readonly atMs: number
  readonly visitor: string
}

export interface Size {
  readonly loops: number
  readonly seconds: number
}

/** Requests per loop. */
export const clientsPerLoop = 5

// The density of loops; a window of 10 s that began with the first request ends in the middle of the rush.
const paces = {
  steady: [{ untilMs: Number.POSITIVE_INFINITY, density: 1 }],
  rush: [
    { untilMs: 8000, density: 1 },
    { untilMs: 13_000, density: 8 },
    { untilMs: Number.POSITIVE_INFINITY, density: 3 },
  ],
} as const

/** All requests of one test, by time. `random` returns 0 to 1, like Math.random. */
export function plan(crowd: Crowd, size: Size, random: () => number = Math.random): readonly Ask[] {
  const endMs = size.seconds * 1000
  const stretches = stretchesOf(crowd.pace, endMs)
  const asks: Ask[] = []
  for (let loop = 0; loop < size.loops; loop++) {
    const loopMs = instantOf((loop + random()) / size.loops, stretches)
    const newest = crowd.newcomers ? crowd.names + loop : crowd.names - 1
    for (let client = 0; client < clientsPerLoop; client++) {
      const isNew = crowd.newcomers && client === 0
      const number = isNew ? newest : newest - Math.floor(random() * crowd.names)
      asks.push({ atMs: delayed(loopMs, random() * crowd.maxDelayMs, endMs), visitor: nameOf(number) })
    }
  }
  return asks.sort((a, b) => a.atMs - b.atMs)
}

function nameOf(number: number): string {
  return `client-${number + 1}`
}

/** Mirrored at the end, where all delayed requests would otherwise pile up. */
function delayed(fromMs: number, delayMs: number, endMs: number): number {
  const atMs = fromMs + delayMs
  return atMs < endMs ? atMs : Math.max(0, 2 * endMs - atMs)
}

/** A part of a test in which loops have the same density. */
interface Stretch {
  readonly fromMs: number
  readonly density: number
  /** Its share of all loops, not normalized. */
  readonly weight: number
}

function stretchesOf(pace: Crowd['pace'], endMs: number): readonly Stretch[] {
  let fromMs = 0
  return paces[pace].map(({ untilMs, density }) => {
    const beginsMs = fromMs
    fromMs = Math.min(untilMs, endMs)
    return { fromMs: beginsMs, density, weight: (fromMs - beginsMs) * density }
  })
}

/** The time by which that share of all loops has begun. */
function instantOf(part: number, stretches: readonly Stretch[]): number {
  let rest = part * stretches.reduce((sum, { weight }) => sum + weight, 0)
  const stretch = stretches.find(({ weight }) => {
    if (rest < weight) return true
    rest -= weight
    return false
  })
  return stretch === undefined ? 0 : stretch.fromMs + rest / stretch.density
}
