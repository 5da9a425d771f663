import { expect, it } from '@jest/globals'
import { progressOn } from '../../src/compare/progress.ts'

function written(isTTY: boolean, whole: number | undefined): string {
  let text = ''
  const stream = {
    isTTY,
    columns: 80,
    write(part: string | Uint8Array) {
      text += String(part)
      return true
    },
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  }
  const progress = progressOn(stream, whole)
  for (const done of [0, 50, 100, 150]) progress.at(done)
  progress.end()
  return text
}

it('shows a bar on a terminal', () => {
  expect(written(true, 100)).toContain(' 0 %')
})

// biome-ignore format: a table
it.each([
  ['in a pipe',                             false,  100],
  ['where nobody knows how much there is',  true,   undefined],
  ['where there is nothing',                true,   0],
])('shows none %s', (_where, isTTY, whole) => {
  expect(written(isTTY, whole)).toBe('')
})
