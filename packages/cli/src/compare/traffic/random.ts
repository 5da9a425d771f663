/** A number from 0 to below 1. */
export type Random = () => number

/** What makes streams of one seed differ: a golden ratio apart, as in splitmix. */
const apart = 0x9e3779b9

/**
 * Numbers that follow from a seed alone, the same on every machine: sfc32 of Chris Doty-Humphrey's PractRand.
 * `stream` tells apart what one seed is used for, so that one part's length moves no other part.
 */
export function randomOf(seed: number, stream = 0): Random {
  let a = seed | 0
  let b = (seed / 2 ** 32) | 0
  let c = Math.imul(stream + 1, apart)
  let counter = 1
  function bits(): number {
    const mixed = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + mixed) | 0
    return mixed >>> 0
  }
  // The first numbers of neighbouring seeds are alike.
  for (let i = 0; i < 15; i++) bits()
  return () => ((bits() >>> 5) * 2 ** 26 + (bits() >>> 6)) / 2 ** 53
}

/** Exponentially distributed with this mean: the gap to the next arrival of a Poisson stream. */
export function exponential(random: Random, mean: number): number {
  return -Math.log(1 - random()) * mean
}
