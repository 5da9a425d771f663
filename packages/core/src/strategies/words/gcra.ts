import type { Numbers } from '../gcra-state.ts'
import { rateWindow, rateWords } from '../picture.ts'
import { maxDebt, type Words } from './words.ts'

export const gcra: Words<Numbers> = {
  about: 'An average of `count` units per period, evenly spread, plus a burst.',
  options: {
    count: 'Units per period in the long run; 0 refuses all.',
    period: 'The time in which `count` units become available again.',
    burst: 'Units beyond the first that a fresh key may use at once.',
    maxDebt,
  },
  picture: ({ intervalUs, capacity, toleranceUs }) => ({
    title: 'GCRA',
    rule: `${rateWords(1 / intervalUs)}, burst ${capacity - 1}`,
    windowUs: rateWindow(toleranceUs),
    most: capacity,
    mostIn: (spanUs) => capacity + Math.floor(spanUs / intervalUs),
    shape: 'none',
  }),
}
