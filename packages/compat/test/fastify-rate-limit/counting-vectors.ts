import type { Vector } from '@sluice/conformance'
import { type CountingWindowOptions, most } from '../../src/fastify-rate-limit/counting-window.ts'

const minute: CountingWindowOptions = { max: 2, windowMs: 60_000, renewal: 'never', grows: false }
const second: CountingWindowOptions = { ...minute, max: 100, windowMs: 1000 }
const doubled: CountingWindowOptions = { ...minute, renewal: 'doubled' }

// biome-ignore format: a table
export const countingVectors: readonly Vector<CountingWindowOptions>[] = [
  {
    title: 'a short window of another request neither ends a long one nor drops what it counts',
    policies: [minute, second],
    rows: [
      // at, operation, cost, life, allowed, reason, limit, remaining, retry after, reset after
      [0, 'check', 1, 60_000_000, true, null, most, most - 1, 0, 60_000_000],
      [0, 'use', 1],
      [0, 'peek', 0, 60_000_000, true, null, most, most - 1, 0, 60_000_000],
      [0, 'check', 1, 60_000_000, true, null, most, most - 2, 0, 60_000_000],
      [1_100_000, 'check', 1, 58_900_000, true, null, most, most - 3, 0, 58_900_000],
      [1_100_000, 'use', 0],
      [59_999_999, 'check', 1, 1, true, null, most, most - 4, 0, 1],
      [60_000_000, 'peek', 0, null, true, null, most, most, 0, 0],
    ],
  },
  {
    title: 'a window lasts as its first request said, or grows to the longest of all',
    policies: [second, minute, { ...minute, grows: true }, { ...second, grows: true }],
    rows: [
      [0, 'check', 1, 1_000_000, true, null, most, most - 1, 0, 1_000_000],
      [0, 'use', 1],
      [400_000, 'check', 1, 600_000, true, null, most, most - 2, 0, 600_000],
      [400_000, 'use', 2],
      [500_000, 'peek', 0, 500_000, true, null, most, most - 2, 0, 500_000],
      [500_000, 'check', 1, 59_500_000, true, null, most, most - 3, 0, 59_500_000],
      [500_000, 'use', 3],
      [1_500_000, 'check', 1, 58_500_000, true, null, most, most - 4, 0, 58_500_000],
      [60_000_000, 'check', 1, 1_000_000, true, null, most, most - 1, 0, 1_000_000],
    ],
  },
  {
    title: 'what is too many for a short window begins no long one anew that would end sooner',
    policies: [minute, { ...second, max: 0, renewal: 'anew' }, { ...minute, renewal: 'anew' }],
    rows: [
      [0, 'check', 1, 60_000_000, true, null, most, most - 1, 0, 60_000_000],
      [0, 'use', 1],
      [2_000_000, 'check', 1, 58_000_000, true, null, most, most - 2, 0, 58_000_000],
      [59_500_000, 'check', 1, 1_000_000, true, null, most, most - 3, 0, 1_000_000],
      [59_500_000, 'use', 2],
      [59_600_000, 'check', 1, 60_000_000, true, null, most, most - 4, 0, 60_000_000],
    ],
  },
  {
    title: 'windows that double keep their ends under other numbers, and a year is the longest',
    policies: [doubled, second, { ...doubled, max: 0, windowMs: 300 * 86_400_000 }],
    rows: [
      [0, 'check', 3, 60_000_000, true, null, most, most - 3, 0, 60_000_000],
      [0, 'check', 1, 120_000_000, true, null, most, most - 4, 0, 120_000_000],
      [0, 'check', 1, 240_000_000, true, null, most, most - 5, 0, 240_000_000],
      [0, 'use', 1],
      [1_000_000, 'check', 1, 239_000_000, true, null, most, most - 6, 0, 239_000_000],
      [1_000_000, 'use', 2],
      [1_000_000, 'check', 1, 31_622_400_000_000, true, null, most, most - 7, 0, 31_622_400_000_000],
    ],
  },
  {
    title: 'a step back of the clock keeps a window for its own length, whoever asks',
    policies: [minute, second],
    rows: [
      [0, 'check', 1, 60_000_000, true, null, most, most - 1, 0, 60_000_000],
      [0, 'use', 1],
      [-1000, 'check', 1, 60_001_000, true, null, most, most - 2, 0, 60_001_000],
      [-3_600_000_000, 'check', 1, 60_000_000, true, null, most, most - 3, 0, 60_000_000],
    ],
  },
]
