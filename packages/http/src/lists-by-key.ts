import { listOf } from './fields.ts'

interface Lists<Key, T> {
  get(key: Key): T[] | undefined
  set(key: Key, list: T[]): unknown
}

/**
 * Adds to the list of a key. The list for the first, undefined for the others: of those who share the listeners of one emitter, the first
 * is to listen for all of them, as Node warns where it has more than ten.
 */
export function addTo<Key, T>(lists: Lists<Key, T>, key: Key, each: T): readonly T[] | undefined {
  const known = lists.get(key)
  if (known !== undefined) {
    known.push(each)
    return
  }
  const all = listOf(each)
  lists.set(key, all)
  return all
}
