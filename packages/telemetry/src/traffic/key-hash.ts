import type { Key } from '@sluice/core'

/** Separates the parts of a key; texts hardly ever contain it. */
const partEnd = 0x1f

/**
 * Hashes a key to 32 evenly spread bits, the same in every process: FNV-1a, then the finalizer of MurmurHash3.
 *
 * @see http://www.isthe.com/chongo/tech/comp/fnv/ and https://github.com/aappleby/smhasher/wiki/MurmurHash3
 */
export function hashOf(key: Key): number {
  let hash = 0x811c9dc5
  if (typeof key === 'object') for (const part of key) hash = added(added(hash, String(part)), partEnd)
  else hash = added(hash, String(key))
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

function added(hash: number, more: string | number): number {
  if (typeof more === 'number') return Math.imul(hash ^ more, 0x01000193)
  let sum = hash
  for (let i = 0; i < more.length; i++) sum = Math.imul(sum ^ more.charCodeAt(i), 0x01000193)
  return sum
}
