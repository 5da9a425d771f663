import { listOf } from './list-of.ts'

/**
 * Adds to the list of those who share the listeners of one emitter, as Node warns where it has more than ten. The list for the first,
 * which is to listen for all of them; undefined for the others.
 */
export function firstOf<Emitter extends object, T>(
  lists: WeakMap<Emitter, T[]>,
  emitter: Emitter,
  each: T,
): readonly T[] | undefined {
  const known = lists.get(emitter)
  if (known !== undefined) {
    known.push(each)
    return
  }
  const all = listOf(each)
  lists.set(emitter, all)
  return all
}
