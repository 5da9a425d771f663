import type { Numbers } from '../bucket-state.ts'
import { bucketPicture, ofBucket, type Words } from './words.ts'

export const leakyBucket: Words<Numbers> = {
  about: 'A bucket of `capacity` units that drains `count` per period.',
  options: ofBucket,
  picture: bucketPicture('leaky bucket', ['room for', 'drain']),
}
