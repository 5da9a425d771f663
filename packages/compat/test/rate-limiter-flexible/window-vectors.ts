import type { Vector } from '@sluice/conformance'
import { type FlexibleWindow, middle } from '../../src/rate-limiter-flexible/flexible-window.ts'

const adds: FlexibleWindow = { units: 1, puts: false, limit: 2, windowUs: 10_000_000, blockUs: 0, blockAt: 3 }

/** At a cost of 2 every call counts; at 1 it is asked whether there is room. */
// biome-ignore format: a table
export const windowVectors: readonly Vector<FlexibleWindow>[] = [
  {
    title: 'counts on beyond the limit, and begins anew when the window is over',
    policies: [adds],
    rows: [
      // at, operation, cost, life, allowed, reason, limit, remaining, retry after, reset after
      [0, 'peek', 0, null, true, null, 2, middle, 0, 0],
      [0, 'check', 2, 10_000_000, true, null, 2, middle - 1, 0, 10_000_000],
      [1_000_000, 'check', 2, 9_000_000, true, null, 2, middle - 2, 0, 9_000_000],
      [2_000_000, 'check', 2, 8_000_000, true, null, 2, middle - 3, 0, 8_000_000],
      [2_000_000, 'check', 1, 8_000_000, false, 'limited', 2, middle - 3, 8_000_000, 8_000_000],
      [9_999_999, 'peek', 0, 1, true, null, 2, middle - 3, 0, 1],
      [10_000_000, 'peek', 0, null, true, null, 2, middle, 0, 0],
      [10_000_000, 'check', 2, 10_000_000, true, null, 2, middle - 1, 0, 10_000_000],
    ],
  },
  {
    title: 'gives back below nothing',
    policies: [{ ...adds, units: -3 }, adds],
    rows: [
      [0, 'check', 2, 10_000_000, true, null, 2, middle + 3, 0, 10_000_000],
      [0, 'use', 1],
      [1_000_000, 'check', 2, 9_000_000, true, null, 2, middle + 2, 0, 9_000_000],
    ],
  },
  {
    title: 'blocks from the first call beyond the limit on, and is free when the block is over',
    policies: [{ ...adds, blockUs: 60_000_000 }],
    rows: [
      [0, 'check', 2, 10_000_000, true, null, 2, middle - 1, 0, 10_000_000],
      [0, 'check', 2, 10_000_000, true, null, 2, middle - 2, 0, 10_000_000],
      [5_000_000, 'check', 2, 60_000_000, true, null, 2, middle - 3, 0, 60_000_000],
      [6_000_000, 'check', 2, 59_000_000, true, null, 2, middle - 4, 0, 59_000_000],
      [65_000_000, 'check', 2, 10_000_000, true, null, 2, middle - 1, 0, 10_000_000],
    ],
  },
  {
    title: 'blocks from a count beyond the limit on, however many points reach it at once',
    policies: [{ ...adds, units: 3, blockUs: 60_000_000, blockAt: 5 }],
    rows: [
      [0, 'check', 2, 10_000_000, true, null, 2, middle - 3, 0, 10_000_000],
      [1_000_000, 'check', 2, 60_000_000, true, null, 2, middle - 6, 0, 60_000_000],
      [2_000_000, 'check', 2, 59_000_000, true, null, 2, middle - 9, 0, 59_000_000],
    ],
  },
  {
    title: 'a count that is put there has an end of its own',
    policies: [{ ...adds, units: 7, puts: true, windowUs: 1_000_000 }, { ...adds, units: 5, puts: true, windowUs: 3_600_000_000 }, adds],
    rows: [
      [0, 'check', 2, 1_000_000, true, null, 2, middle - 7, 0, 1_000_000],
      [0, 'use', 2],
      [500_000, 'check', 2, 500_000, true, null, 2, middle - 8, 0, 500_000],
      [500_000, 'use', 1],
      [500_000, 'check', 2, 3_600_000_000, true, null, 2, middle - 5, 0, 3_600_000_000],
      [500_000, 'use', 2],
      [900_000, 'check', 2, 3_599_600_000, true, null, 2, middle - 6, 0, 3_599_600_000],
    ],
  },
  {
    title: 'never has room where there are no points',
    policies: [{ ...adds, limit: 0 }],
    rows: [
      [0, 'check', 1, null, false, 'too-costly', 0, middle, -1, 0],
      [0, 'check', 2, 10_000_000, true, null, 0, middle - 1, 0, 10_000_000],
    ],
  },
]
