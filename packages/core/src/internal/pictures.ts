export { type Picture, spanWords } from '../strategies/picture.ts'
export { pictureOf } from '../strategies/words/words-of.ts'
