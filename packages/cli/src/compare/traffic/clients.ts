import type { DrawClient } from './arrivals.ts'
import type { Random } from './random.ts'

/**
 * Draws one of `count` clients, `NAME-1`, `NAME-2` and so on. With `zipf` 0 all are equal; with 1 the second sends half
 * as much as the first, the third a third, as is typical of visitors.
 */
export function clients(
  random: Random,
  named: { readonly name: string; count: number; zipf: number },
): DrawClient {
  const { name, count, zipf } = named
  if (zipf === 0) return () => `${name}-${1 + Math.floor(random() * count)}`
  const upTo = new Float64Array(count)
  let sum = 0
  for (let i = 0; i < count; i++) {
    sum += (i + 1) ** -zipf
    upTo[i] = sum
  }
  return () => `${name}-${1 + firstAbove(upTo, random() * sum)}`
}

/** Index of the first number above `value` in an ascending list. */
function firstAbove(list: Float64Array, value: number): number {
  let low = 0
  let high = list.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return low
}
