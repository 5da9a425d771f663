import type { Key } from '@sluice/core'
import { canonicalAddress, networkOfCanonical } from './address.ts'

/** A property of a limiter, by a global symbol, so that this module's two copies, ESM and CommonJS, share it. */
const mark = Symbol.for('sluice.networkBits')

/** How many bits of an IPv6 address a key keeps; `null`: keys need not be networks. */
type Bits = number | null

/** Notes on a limiter how one of its middlewares makes its keys. */
export function noteKeys(limiter: object, bits: Bits): void {
  const known: Bits | undefined = Reflect.get(limiter, mark)
  const value = known === undefined || known === bits ? bits : null
  // The limiter may be an object of the user's, and frozen.
  Reflect.defineProperty(limiter, mark, { value, configurable: true })
}

/** How many bits of an IPv6 address the keys keep, if all middlewares of the limiter count by network. */
export function networkBitsOf(limiter: object): number | undefined {
  const bits: Bits | undefined = Reflect.get(limiter, mark)
  return bits ?? undefined
}

export function isClientNetwork(key: Key, bits: number): boolean {
  if (typeof key !== 'string') return false
  const address = canonicalAddress(key.split('/')[0] ?? '')
  return address !== undefined && networkOfCanonical(address, bits) === key
}
