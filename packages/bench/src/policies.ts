import { fixedWindow, gcra, type Policy } from '@sluice/core'

/** A policy of each of the two strategies that applications use most. */
interface Both {
  readonly counter: ReturnType<typeof fixedWindow>
  readonly gcra: ReturnType<typeof gcra>
}

export const numbers = {
  /** So wide that no key of a run is ever refused, so slow that each still has its state at the next visit. */
  wide: {
    counter: { limit: 1_000_000_000, window: '1h' },
    rate: { count: 1000, period: '1h', burst: 800_000_000 },
  },
  /** One admission, then refusals for the rest of the run. */
  narrow: {
    counter: { limit: 1, window: '1h' },
    rate: { count: 1, period: '1h', burst: 0 },
  },
} as const

export const wide: Both = { counter: fixedWindow(numbers.wide.counter), gcra: gcra(numbers.wide.rate) }
export const narrow: Both = { counter: fixedWindow(numbers.narrow.counter), gcra: gcra(numbers.narrow.rate) }

/** Slow enough that a used key always has to wait, with enough debt that the wait is never too long. */
export const patient: Policy<'reserve' | 'refund' | 'penalize'> = gcra({
  count: 1,
  period: '1m',
  burst: 0,
  maxDebt: '366d',
})

/** Several GCRA policies on one request, each with different numbers. */
export function severalGcra(count: number): { readonly [name: string]: Policy } {
  const policies = Array.from({ length: count }, (_, i) => {
    return [`p${i}`, gcra({ count: 1000 - i, period: '1h', burst: 10_000_000 + i })] as const
  })
  return Object.fromEntries(policies)
}

/** All keys, in an order independent of their creation. */
export function scattered(keys: readonly string[]): readonly string[] {
  const step = 7919 // without a factor in common with a power of ten: every key has its turn
  return keys.map((_, i) => keys[(i * step) % keys.length] ?? '')
}

/** Keys of 16 characters as flat strings, as a socket delivers them: concatenated strings would keep their parts. */
export function keysOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) =>
    Buffer.from(`user-${String(i).padStart(11, '0')}`).toString('latin1'),
  )
}
