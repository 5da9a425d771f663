import { windowPicture } from '../picture.ts'
import type { Numbers } from '../slidingWindowLog.ts'
import { ofWindow, type Words } from './words.ts'

export const slidingWindowLog: Words<Numbers> = {
  about: 'At most `limit` units in any window, exactly.',
  options: ofWindow,
  picture: ({ limit, windowUs }) => ({
    ...windowPicture({ title: 'sliding window log', shape: 'sliding', limit, windowUs }),
    exact: true,
  }),
}
