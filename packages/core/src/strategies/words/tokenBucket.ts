import type { Numbers } from '../bucket-state.ts'
import { bucketPicture, ofBucket, type Words } from './words.ts'

export const tokenBucket: Words<Numbers> = {
  about: 'A bucket of `capacity` tokens, refilled with `count` per period.',
  options: {
    ...ofBucket,
    start: 'Whether a new key’s bucket is full or empty; an empty one fills from its first request on.',
  },
  picture: bucketPicture('token bucket', ['holds', 'refill']),
}
