import { fixedWindow, gcra, type Policy } from '@sluice/core'

/** So wide that no key of a run is ever refused, so slow that each still has its state at the next visit. */
export const wide = {
  counter: fixedWindow({ limit: 1_000_000_000, window: '1h' }),
  gcra: gcra({ count: 1000, period: '1h', burst: 10_000_000 }),
}

export const threeGcra: { readonly [name: string]: Policy } = {
  first: wide.gcra,
  second: gcra({ count: 900, period: '1h', burst: 20_000_000 }),
  third: gcra({ count: 800, period: '1h', burst: 30_000_000 }),
}

/** One admission, then refusals for the rest of the run. */
export const narrow = {
  counter: fixedWindow({ limit: 1, window: '1h' }),
  gcra: gcra({ count: 1, period: '1h' }),
}

/** Keys of 16 characters, each in one piece, as a socket delivers them: joined text would keep its parts. */
export function keysOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) =>
    Buffer.from(`user-${String(i).padStart(11, '0')}`).toString('latin1'),
  )
}
