import type { Key } from '@sluice/core'
import type { SeenKey } from './wire.ts'

/** Longer keys are cut where they are shown. */
const longest = 200
const mostMembers = 120

/** A key in the form of JSON, and no longer than a page shows. */
export type ShownKey = Pick<SeenKey, 'key' | 'cut'>

/** Cuts a key, of which a client may have sent a megabyte. The part is copied, as a part of a text keeps the whole text in memory. */
export function shownKey(key: Key): ShownKey {
  const members = Array.isArray(key) ? key.slice(0, mostMembers) : [key]
  let cut = Array.isArray(key) && key.length > mostMembers
  const texts = members.map((member) => {
    const text = String(member)
    if (text.length <= longest) return text
    cut = true
    return Buffer.from(`${text.slice(0, longest)}…`, 'utf16le').toString('utf16le')
  })
  return { key: Array.isArray(key) ? texts : (texts[0] ?? ''), ...(cut && { cut: true as const }) }
}
