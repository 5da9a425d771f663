import { fullOf, type Numbers } from '../bucket-state.ts'
import { type Picture, rateWindow, rateWords } from '../picture.ts'

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
