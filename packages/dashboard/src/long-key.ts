import type { Key } from '@sluice/core'

/** The longest key that is kept: nobody reads more, and a client may write a megabyte into each of a thousand keys. */
const mostCharacters = 4000

/** Whether a key is too long to be kept. It cannot be shortened, as an action on it needs the whole key. */
export function isLong(key: Key): boolean {
  if (!Array.isArray(key)) return String(key).length > mostCharacters
  let characters = key.length
  for (const member of key) {
    characters += String(member).length
    if (characters > mostCharacters) return true
  }
  return false
}
