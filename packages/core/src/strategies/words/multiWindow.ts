import type { Numbers } from '../multiWindow.ts'
import { spanWords } from '../picture.ts'
import type { Words } from './words.ts'

export const multiWindow: Words<Numbers> = {
  about: 'Several limits on one stream of requests, longer windows with higher limits.',
  options: {
    limits: 'Limits, longer windows with higher limits.',
    slot: 'Length of the counted slots: a window may refuse for up to one slot longer than an exact log.',
  },
  picture: ({ windows, longestUs }) => ({
    title: 'multi window',
    rule: windows.map(({ limit, windowUs }) => `${limit} / ${spanWords(windowUs)}`).join(', '),
    windowUs: longestUs,
    most: windows.at(-1)?.limit ?? 0,
    exact: true,
    shape: 'nested',
    windowsUs: windows.map(({ windowUs }) => windowUs),
  }),
}
