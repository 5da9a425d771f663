import { hexOf, paddedBlocks } from './hash-blocks.ts'

/** SHA-256 as FIPS 180-4 defines it, for runtimes that hash only asynchronously: a key's name is wanted at once. */

/** The first 32 bits of the fractional parts of a root of each of the first primes. */
function fractions(count: number, root: (prime: number) => number): number[] {
  const found: number[] = []
  for (let n = 2; found.length < count; n++) {
    let divisor = 2
    while (n % divisor !== 0) divisor++
    if (divisor === n) found.push((root(n) * 2 ** 32) | 0)
  }
  return found
}

/** Made for the first text: few keys are so long that they are hashed. */
let initial: readonly number[] | undefined
let constants: readonly number[] = []
const schedule = new Int32Array(64)

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

function at(words: ArrayLike<number>, index: number): number {
  return words[index] ?? 0
}

function compress(state: Int32Array, blocks: DataView, from: number): void {
  for (let i = 0; i < 16; i++) schedule[i] = blocks.getInt32(from + i * 4)
  for (let i = 16; i < 64; i++) {
    const [early, late] = [at(schedule, i - 15), at(schedule, i - 2)]
    const sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)
    const sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10)
    schedule[i] = at(schedule, i - 16) + sigma0 + at(schedule, i - 7) + sigma1
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ] // it has eight
  for (let i = 0; i < 64; i++) {
    const sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
    const chosen = (e & f) ^ (~e & g)
    const first = (h + sum1 + chosen + at(constants, i) + at(schedule, i)) | 0
    const sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + sum0 + majority) | 0
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = at(state, i) + word
}

/** The digest of bytes, or of a text's UTF-8, in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  if (initial === undefined) {
    initial = fractions(8, Math.sqrt)
    constants = fractions(64, Math.cbrt)
  }
  const blocks = paddedBlocks(content)
  const state = Int32Array.from(initial)
  for (let from = 0; from < blocks.byteLength; from += 64) compress(state, blocks, from)
  return hexOf(state)
}
