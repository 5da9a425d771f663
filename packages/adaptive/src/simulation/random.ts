// Test runners look a global up at each use, at a hundred times the cost.
const { imul, log } = Math

/** Numbers from 0 to below 1, the same for the same seed: mulberry32, by Tommy Ettinger, in the public domain. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A number drawn from the exponential distribution, as the time between independent arrivals. */
export function exponential(mean: number, random: () => number): number {
  return -log(1 - random()) * mean
}
