import type { Numbers } from '../attributedWindow.ts'
import { windowPicture } from '../picture.ts'
import { ofWindow, type Words } from './words.ts'

export const attributedWindow: Words<Numbers> = {
  about: 'At most `limit` units per window, with a note for each.',
  options: { ...ofWindow, noteBytes: 'A longer note is cut to this many bytes.' },
  picture: ({ limit, windowUs }) =>
    windowPicture({ title: 'attributed window', shape: 'fixed', limit, windowUs }),
}
