import { keysOf } from '../policies.ts'
import type { Work } from './work.ts'

/** The keys of some work, each a flat string, as a socket delivers it. */
export function keysFor({ keys, addresses = false }: Pick<Work, 'keys' | 'addresses'>): readonly string[] {
  return addresses ? Array.from({ length: keys }, (_, i) => flat(addressOf(i))) : keysOf(keys)
}

function flat(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** IPv6 in its canonical form. */
function addressOf(i: number): string {
  const [high, low] = [1 + (i >> 16), 1 + (i & 0xffff)].map((part) => part.toString(16))
  return `2001:db8:${high}:${low}::1`
}
