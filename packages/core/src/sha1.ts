import { hexOf, paddedBlocks } from './hash-blocks.ts'
import { nodeCrypto } from './runtime.ts'

/** SHA-1 as FIPS 180-4 defines it, for runtimes that hash only asynchronously: a script's name is wanted at once. */

const initial = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
const schedule = new Int32Array(80)

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by))
}

/** What a round mixes in: each twenty rounds have a function of their own. */
function mixed(round: number, [b, c, d]: readonly [number, number, number]): number {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
  return (b ^ c ^ d) + 0xca62c1d6
}

function compress(state: Int32Array, blocks: DataView, from: number): void {
  for (let i = 0; i < 16; i++) schedule[i] = blocks.getInt32(from + i * 4)
  for (let i = 16; i < 80; i++) {
    schedule[i] = rotated(wordAt(i - 3) ^ wordAt(i - 8) ^ wordAt(i - 14) ^ wordAt(i - 16), 1)
  }
  let [a, b, c, d, e] = state as unknown as [number, number, number, number, number] // it has five
  for (let i = 0; i < 80; i++) {
    const next = (rotated(a, 5) + mixed(i, [b, c, d]) + e + wordAt(i)) | 0
    e = d
    d = c
    c = rotated(b, 30)
    b = a
    a = next
  }
  for (const [i, word] of [a, b, c, d, e].entries()) state[i] = (state[i] ?? 0) + word
}

function wordAt(index: number): number {
  return schedule[index] ?? 0
}

/** The digest of a text's UTF-8, in hexadecimal. */
export function sha1(text: string): string {
  const blocks = paddedBlocks(text)
  const state = Int32Array.from(initial)
  for (let from = 0; from < blocks.byteLength; from += 64) compress(state, blocks, from)
  return hexOf(state)
}

/** The same by the runtime's own means, if it has any: the name by which a Redis server knows a script. */
export function sha1Hex(text: string): string {
  return nodeCrypto()?.createHash('sha1').update(text).digest('hex') ?? sha1(text)
}
