/**
 * Removes the newest `count` of the entries for which `goes` is true. Entry n is element n of each of `lists`, the newest last; entries
 * before `from` stay.
 */
export function removeNewest(
  lists: readonly unknown[][],
  { from = 0, count, goes }: { from?: number; count: number; goes: (n: number) => boolean },
): void {
  const length = lists[0]?.length ?? 0
  let [read, kept, rest] = [length, length, count]
  // Entries that stay move up, each once, and leave a gap below.
  while (read > from && rest > 0) {
    read--
    if (goes(read)) {
      rest--
    } else {
      kept--
      for (const list of lists) list[kept] = list[read]
    }
  }
  if (kept > read) for (const list of lists) list.splice(read, kept - read)
}
