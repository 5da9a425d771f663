import { spanWords } from '../picture.ts'
import type { Numbers } from '../uniform.ts'
import { maxDebt, type Words } from './words.ts'

export const uniform: Words<Numbers> = {
  about: 'One request per interval.',
  options: { interval: 'How long the gate stays closed after each admitted request.', maxDebt },
  picture: ({ intervalUs }) => ({
    title: 'uniform gate',
    rule: `1 in ${spanWords(intervalUs)}`,
    windowUs: intervalUs,
    most: 1,
    exact: true,
    shape: 'none',
  }),
}
