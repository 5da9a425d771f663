/** A number from 0 to below 1. */
export type Random = () => number

/** Separates the streams of one seed: multiples of the golden ratio, as in splitmix. */
const apart = 0x9e3779b9

/**
 * Random numbers that depend only on the seed, the same on every machine: sfc32 from Chris Doty-Humphrey's PractRand.
 * `stream` separates the uses of one seed, so that the length of one does not affect another.
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
  // Skip the first numbers, which are similar for neighbouring seeds.
  for (let i = 0; i < 15; i++) bits()
  return () => ((bits() >>> 5) * 2 ** 26 + (bits() >>> 6)) / 2 ** 53
}

/** Exponentially distributed with this mean: the gap to the next arrival of a Poisson stream. */
export function exponential(random: Random, mean: number): number {
  return -Math.log(1 - random()) * mean
}
