import { didYouMean } from '@sluice/core/internal'
import type { Entry, LimitsDocument, Part } from './document.ts'
import { quoted } from './words.ts'

/** The entries of a mapping with fixed names. An unknown name is a problem with the nearest name, or else with `hint`. */
export function readFields<const N extends string>(
  document: LimitsDocument,
  part: Part,
  { names, hint }: { names: readonly N[]; hint: string },
): { readonly [K in N]?: Part } {
  const fields: { [K in N]?: Part } = {}
  for (const entry of document.entries(part).values()) {
    const name = names.find((each) => each === entry.name)
    if (name === undefined) noteUnknown(document, entry, { names, hint })
    else fields[name] = entry.value
  }
  return fields
}

export function noteUnknown(
  document: LimitsDocument,
  { name, key }: Entry,
  { names, hint }: { names: readonly string[]; hint: string },
): undefined {
  const expected = `a known field${didYouMean(name, names, hint)}`
  return document.note(key, expected, `${quoted(name)} (string)`)
}
