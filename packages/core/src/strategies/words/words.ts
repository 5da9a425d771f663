import { fullOf, type Numbers } from '../bucket-state.ts'
import { type Picture, rateWindow, rateWords } from '../picture.ts'

/** How a strategy is described: to editors, in tables, on pages and in reports. No limiter needs it, so no strategy carries it. */
export interface Words<Numbers> {
  /** One sentence about what it allows. */
  readonly about: string
  /** One sentence for each option. */
  readonly options: { readonly [name: string]: string }
  /** How its policies are described and drawn. */
  picture(numbers: Numbers): Picture
}

type Sentences = Words<never>['options']

export const ofWindow: Sentences = {
  limit: 'Units per window; 0 refuses all.',
  window: 'The length of the window.',
}

export const maxDebt: string = 'How far `reserve` and `penalize` may go beyond what a check can use.'

export const ofBucket: Sentences = {
  capacity: 'The most that fits at once; 0 refuses all.',
  count: 'Units per period that become available again, continuously; 0 refuses all.',
  period: 'The time in which `count` units become available again.',
  maxDebt,
}

/** The sentence for `blockFor`, which all strategies have but those that count requests in flight. */
export const blockFor: string = 'How long a key that is refused stays refused, whatever its count.'

/** `words`: what the rule says before the capacity and before the rate. */
export function bucketPicture(
  title: string,
  words: readonly [capacity: string, rate: string],
): (numbers: Numbers) => Picture {
  return (numbers) => ({
    title,
    rule: `${words[0]} ${numbers.capacity}, ${words[1]} ${rateWords(numbers.flow / numbers.parts)}`,
    windowUs: rateWindow(fullOf(numbers) / numbers.flow),
    most: numbers.capacity,
    mostIn: (spanUs) => numbers.capacity + Math.floor((spanUs * numbers.flow) / numbers.parts),
    shape: 'none',
  })
}
