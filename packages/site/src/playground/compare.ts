import type { Answer } from './simulate.ts'

/** How two policies answer the same requests. */
export interface Compared {
  readonly both: number
  readonly onlyFirst: number
  readonly onlySecond: number
  readonly neither: number
}

export function compare(first: readonly Answer[], second: readonly Answer[]): Compared {
  const counts = { both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 }
  for (const [i, { allowed }] of first.entries()) {
    const other = second[i]?.allowed === true
    counts[allowed ? (other ? 'both' : 'onlyFirst') : other ? 'onlySecond' : 'neither']++
  }
  return counts
}
