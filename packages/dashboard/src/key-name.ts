import type { Key } from '@sluice/core'
import { encodeText } from '@sluice/core/internal'

/** Different keys never have the same name; 7 and '7' are one key. */
export function nameOf(key: Key): string {
  return Array.isArray(key)
    ? key.map((member) => encodeText(String(member))).join(':')
    : encodeText(String(key))
}

export function isSameKey(a: Key, b: Key): boolean {
  return a === b || nameOf(a) === nameOf(b)
}
