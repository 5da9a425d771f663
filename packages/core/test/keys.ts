import fc from 'fast-check'
import type { Key } from '../src/index.ts'

/** Two keys are one where their texts are, member by member; a list of one is its member. */
export function meaning(key: Key): string {
  const members = Array.isArray(key) ? key : [key]
  return JSON.stringify(members.map(String))
}

// Few letters, so that pairs are near each other: delimiters, escapes, halves of a pair of surrogates.
const letters = fc.constantFrom(
  'a',
  'b',
  ':',
  ',',
  '%',
  '{',
  '}',
  '3',
  '\n',
  '\0',
  '\ud83d',
  '\ude00',
  '\ud800',
  'é',
  '/',
)
const texts = fc.oneof(
  fc.array(letters, { maxLength: 5 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 4 }),
  // About as long as a name may be before it is hashed.
  fc
    .record({ letter: letters, length: fc.integer({ min: 64, max: 202 }) })
    .map(({ letter, length }) => letter.repeat(length)),
)
const member = fc.oneof(
  { weight: 5, arbitrary: texts },
  fc.integer({ min: -3, max: 300 }),
  fc.bigInt({ min: 0n, max: 9n }),
)
/** Keys of all kinds, many of them near each other. */
export const keys: fc.Arbitrary<Key> = fc
  .oneof(member, fc.array(member, { minLength: 1, maxLength: 3 }))
  .filter((key) => {
    return meaning(key) !== '[""]'
  })
