/** SHA-1 and SHA-256 of FIPS 180-4, for runtimes that hash only asynchronously: names of scripts and keys are wanted at once. */

/** The words that a block is spread over: 80 of SHA-1, 64 of SHA-256. */
const schedule = new Int32Array(80)

/** Turned to the right. */
function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

function at(words: ArrayLike<number>, index: number): number {
  return words[index] ?? 0
}

/** Bytes or a text's UTF-8, a bit 1, zeros, and the length in bits: whole blocks of 64 bytes. */
function paddedBlocks(content: string | Uint8Array): DataView {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  blocks.set(bytes)
  blocks[bytes.length] = 0x80
  const view = new DataView(blocks.buffer)
  view.setBigUint64(blocks.length - 8, BigInt(bytes.length) * 8n)
  return view
}

/** The digest in hexadecimal; `compress` mixes the block of which the schedule has the first 16 words into the state. */
function digest(
  content: string | Uint8Array,
  initial: readonly number[],
  compress: (state: Int32Array) => void,
): string {
  const blocks = paddedBlocks(content)
  const state = Int32Array.from(initial)
  for (let from = 0; from < blocks.byteLength; from += 64) {
    for (let i = 0; i < 16; i++) schedule[i] = blocks.getInt32(from + i * 4)
    compress(state)
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

/** What a round of SHA-1 mixes in: each twenty rounds have a function of their own. */
function mixed(round: number, [b, c, d]: readonly [number, number, number]): number {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
  return (b ^ c ^ d) + 0xca62c1d6
}

function compress1(state: Int32Array): void {
  for (let i = 16; i < 80; i++) {
    const word = at(schedule, i - 3) ^ at(schedule, i - 8) ^ at(schedule, i - 14) ^ at(schedule, i - 16)
    schedule[i] = rotated(word, 31)
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state
  for (let i = 0; i < 80; i++) {
    const next = (rotated(a, 27) + mixed(i, [b, c, d]) + e + at(schedule, i)) | 0
    e = d
    d = c
    c = rotated(b, 2)
    b = a
    a = next
  }
  for (const [i, word] of [a, b, c, d, e].entries()) state[i] = at(state, i) + word
}

/** The SHA-1 of a text's UTF-8, in hexadecimal. */
export function sha1(text: string): string {
  return digest(text, [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0], compress1)
}

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

/** Of SHA-256, made for the first text: few keys are so long that they are hashed. */
let initial: readonly number[] | undefined
let constants: readonly number[] = []

function compress256(state: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const [early, late] = [at(schedule, i - 15), at(schedule, i - 2)]
    const sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)
    const sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10)
    schedule[i] = at(schedule, i - 16) + sigma0 + at(schedule, i - 7) + sigma1
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
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

/** The SHA-256 of bytes, or of a text's UTF-8, in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  if (initial === undefined) {
    initial = fractions(8, Math.sqrt)
    constants = fractions(64, Math.cbrt)
  }
  return digest(content, initial, compress256)
}
