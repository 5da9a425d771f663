import type { ListName, Lists } from '@sluice/core'
import { strongerOf } from '@sluice/core/internal'
import type { ListPlace, StoredEntry } from '@sluice/operations'
import { oneLine } from '../one-line.ts'
import { keyText, limiterFlag, readsAsAddress, shellWord, type TypedKey } from './keys.ts'
import { spanText } from './times.ts'

/** The lists as requests of a typed key meet them: where an address was typed, also those of addresses, as in front of a middleware. */
export async function listsFor({ address }: TypedKey, entries: readonly StoredEntry[]): Promise<Lists> {
  const { listsOf } = await import('@sluice/operations')
  const all = listsOf(entries)
  if (address === undefined) return all
  return {
    ofAddress: (other, limiter) => all.ofAddress(other, limiter),
    ofKey: (key, limiter) => strongerOf(all.ofKey(key, limiter), all.ofAddress(address, limiter)),
  }
}

/** The entries that the requests of a typed key meet, in that limiter or in any. */
export async function meeting(
  typed: TypedKey,
  entries: readonly StoredEntry[],
  limiter?: string,
): Promise<readonly StoredEntry[]> {
  const met: StoredEntry[] = []
  for (const entry of entries) {
    if (limiter !== undefined && entry.limiter !== undefined && entry.limiter !== limiter) continue
    const lists = await listsFor(typed, [entry])
    if (lists.ofKey(typed.key, entry.limiter ?? '') !== undefined) met.push(entry)
  }
  return met
}

/** A list by the command that writes it: `block` is what sluice block does to one key. */
export function listWord(list: ListName): string {
  return list === 'block' ? 'refuse' : list
}

/** An entry in words, and the command that takes it off. */
export function entryLines(entry: StoredEntry): readonly string[] {
  const { list, endsInMs, by, why } = entry
  const who = `${by === undefined ? '' : `, by ${by}`}${why === undefined ? '' : `: ${why}`}`
  return [
    oneLine(
      `On a list: ${listWord(list)} ${nameOf(entry)}${scopeOf(entry)}, for ${spanText(endsInMs)}${who}`,
    ),
    `To remove it: ${unlistCommand(entry)}`,
  ]
}

/** The command that takes this entry off, and no other. */
export function unlistCommand({ address, key, limiter }: ListPlace): string {
  const what = nameOf({ address, key })
  return `sluice unlist ${shellWord(what)}${limiterFlag(limiter)}${key !== undefined && readsAsAddress(what) ? ' --key' : ''}`
}

export function nameOf({ address, key }: Pick<ListPlace, 'address' | 'key'>): string {
  return address ?? keyText(key ?? '')
}

export function scopeOf({ limiter }: Pick<ListPlace, 'limiter'>): string {
  return limiter === undefined ? ' in all limiters' : ` in ${oneLine(limiter)}`
}
