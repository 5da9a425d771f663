export { pictureOf } from '../strategies/definition.ts'
export { type Picture, spanWords } from '../strategies/picture.ts'
