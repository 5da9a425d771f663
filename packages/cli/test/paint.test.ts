import { WriteStream } from 'node:tty'
import { expect, it } from '@jest/globals'
import { paint } from '../src/print.ts'

/** Asks as a terminal of that environment does. */
function terminal(env: object): { isTTY: true; hasColors: () => boolean } {
  return { isTTY: true, hasColors: () => WriteStream.prototype.getColorDepth(env) > 1 }
}

// biome-ignore format: a table
it.each([
  // stream                                              'bold' in bold
  ['a terminal',                terminal({ TERM: 'xterm-256color' }),                  '\u001B[1mtext\u001B[22m'],
  ['a terminal with NO_COLOR',  terminal({ TERM: 'xterm-256color', NO_COLOR: '1' }),   'text'],
  ['a dumb terminal',           terminal({ TERM: 'dumb' }),                            'text'],
  ['a pipe',                    {},                                                    'text'],
])('has colours only where they are wanted: %s', (_what, stream, expected) => {
  expect(paint('bold', 'text', stream)).toBe(expected)
})
