import { windowPicture } from '../picture.ts'
import type { Numbers } from '../slidingWindowCounter.ts'
import { ofWindow, type Words } from './words.ts'

export const slidingWindowCounter: Words<Numbers> = {
  about: 'About `limit` units in any window, from two counters.',
  options: ofWindow,
  picture: ({ limit, windowUs }) =>
    windowPicture({ title: 'sliding window counter', shape: 'sliding', limit, windowUs }),
}
