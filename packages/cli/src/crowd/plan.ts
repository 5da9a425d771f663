/** Who comes, and how. */
export interface Crowd {
  /** Distinct clients at any time. */
  readonly names: number
  /** In each loop somebody new takes another's place. */
  readonly newcomers: boolean
  /** `rush`: few at first, very many from the eighth second on, then as many as fit in. */
  readonly pace: 'steady' | 'rush'
  /** After its loop has begun a client asks no later than this. */
  readonly longestDelayMs: number
}

/** One client asks once. */
export interface Ask {
  readonly atMs: number
  readonly visitor: string
}

export interface Size {
  readonly loops: number
  readonly seconds: number
}

/** Clients that ask in one loop. */
export const clientsPerLoop = 5

// How dense loops are; a window of 10 s that began with the first request ends in the midst of the rush.
const paces = {
  steady: [{ untilMs: Number.POSITIVE_INFINITY, density: 1 }],
  rush: [
    { untilMs: 8000, density: 1 },
    { untilMs: 13_000, density: 8 },
    { untilMs: Number.POSITIVE_INFINITY, density: 3 },
  ],
} as const

/** All that is asked in one test, in the order of time. `random` answers 0 to 1, as Math.random does. */
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
      asks.push({ atMs: delayed(loopMs, random() * crowd.longestDelayMs, endMs), visitor: nameOf(number) })
    }
  }
  return asks.sort((a, b) => a.atMs - b.atMs)
}

function nameOf(number: number): string {
  return `client-${number + 1}`
}

/** Mirrored at the end, as all would crowd there else. */
function delayed(fromMs: number, delayMs: number, endMs: number): number {
  const atMs = fromMs + delayMs
  return atMs < endMs ? atMs : Math.max(0, 2 * endMs - atMs)
}

/** A stretch of a test in which loops are equally dense. */
interface Stretch {
  readonly fromMs: number
  readonly density: number
  /** Its part of all loops, as far as they add up to anything. */
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

/** When that part of all loops has begun. */
function instantOf(part: number, stretches: readonly Stretch[]): number {
  let rest = part * stretches.reduce((sum, { weight }) => sum + weight, 0)
  const stretch = stretches.find(({ weight }) => {
    if (rest < weight) return true
    rest -= weight
    return false
  })
  return stretch === undefined ? 0 : stretch.fromMs + rest / stretch.density
}
