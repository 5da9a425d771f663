export { pictureOf } from '../strategies/words/words-of.ts'
export { type Picture, spanWords } from '../strategies/picture.ts'
