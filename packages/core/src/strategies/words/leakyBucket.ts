import type { Numbers } from '../bucket-state.ts'
import { bucketPicture } from './bucket-picture.ts'
import { ofBucket, type Words } from './words.ts'

export const leakyBucket: Words<Numbers> = {
  about: 'A bucket of `capacity` units that drains `count` per period.',
  options: ofBucket,
  picture: bucketPicture('leaky bucket', ['room for', 'drain']),
}
