import type { Key } from '@sluice/core'
import { canonicalAddress } from './address.ts'
import { networkOfCanonical } from './network.ts'

/** On a limiter, so that a module that is loaded twice, as ESM and as CommonJS, finds it. */
const mark = Symbol.for('sluice.networkBits')

/** `null`: its keys may be anything. */
type Bits = number | null

/** A middleware asks this limiter: by the client's network, with that many bits of an IPv6 address, or by keys of its own. */
export function noteKeys(limiter: object, bits: Bits): void {
  const known: Bits | undefined = Reflect.get(limiter, mark)
  const value = known === undefined || known === bits ? bits : null
  // What decides may be the user's own, and frozen.
  Reflect.defineProperty(limiter, mark, { value, configurable: true })
}

/** Of a limiter whose middlewares all take the client's network for the key: how many bits of an IPv6 address that is. */
export function networkBitsOf(limiter: object): number | undefined {
  const bits: Bits | undefined = Reflect.get(limiter, mark)
  return bits ?? undefined
}

/** Whether a client may have this network for its key. */
export function isClientNetwork(key: Key, bits: number): boolean {
  if (typeof key !== 'string') return false
  const address = canonicalAddress(key.split('/')[0] ?? '')
  return address !== undefined && networkOfCanonical(address, bits) === key
}
