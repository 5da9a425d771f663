import { optionError } from './errors.ts'
import type { Key } from './key.ts'
import type { FailedReload, Warning } from './store.ts'

/** `deny` refuses with 403, `block` with 429 until the entry ends, `allow` lets pass without a count. The first of them wins. */
export type ListName = 'deny' | 'block' | 'allow'

/** What lists say of an address or a key. */
export interface Listed {
  readonly list: ListName
  /** Until the entry ends. */
  readonly endsInMs: number
}

/** Hears of what happens to lists. */
export interface ListsWatcher {
  warned(warning: Warning): void
  reloadFailed(failed: Pick<FailedReload, 'source' | 'error'>): void
  reloaded(source: string): void
}

/** Lists of addresses and keys that change while the program runs. They are asked for every request, so they answer at once. */
export interface Lists {
  /** `address`: in its canonical spelling. */
  ofAddress(address: string, limiter: string): Listed | undefined
  ofKey(key: Key, limiter: string): Listed | undefined
  /** Resolves when the lists are known, or cannot be. */
  ready?(): Promise<void>
  /** The returned function ends the watch. */
  watch?(watcher: ListsWatcher): () => void
}

export function readLists(lists: readonly Lists[] = []): readonly Lists[] {
  if (!Array.isArray(lists)) throw optionError('lists', 'a list such as [operations({ … }).lists]', lists)
  for (const [i, each] of lists.entries()) {
    if (typeof each?.ofAddress === 'function' && typeof each.ofKey === 'function') continue
    throw optionError(`lists[${i}]`, 'lists such as operations({ … }).lists or listsFile("lists.yaml")', each)
  }
  return lists
}

const strength: { readonly [name in ListName]: number } = { deny: 3, block: 2, allow: 1 }

/** The entry that applies: that of the stronger list, or of the same list the one with the later end. */
export function strongerOf(one: Listed | undefined, other: Listed | undefined): Listed | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const difference = strength[one.list] - strength[other.list]
  if (difference !== 0) return difference > 0 ? one : other
  return one.endsInMs >= other.endsInMs ? one : other
}
