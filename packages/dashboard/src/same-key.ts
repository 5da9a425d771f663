import type { Key } from '@sluice/core'
import { encodeKey } from '@sluice/core/internal'

export function isSameKey(a: Key, b: Key): boolean {
  return a === b || encodeKey(a) === encodeKey(b)
}
