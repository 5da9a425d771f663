import { expect, test } from '@jest/globals'
import { pages, proseOf } from './pages.ts'

const prose = pages().map((page) => {
  const lines = proseOf(page)
    .replace(/`[^`]*`/g, '``')
    .split('\n')
  return [page.file, lines.map((line, at) => `${at + 1}: ${line}`)] as const
})

// Claims without a number, and words that have another of their own here (docs/glossary.md).
const words =
  /\b(fast(er)?|simpl[ey]|powerful|eas(y|ily)|blazing|seamless(ly)?|robust|whitelist|blacklist|throttl\w+)\b/i

test.each(prose)('%s claims nothing that it cannot show', (_file, lines) => {
  expect(lines.filter((line) => words.test(line))).toEqual([])
})

test.each(prose)('%s has one sentence a line', (_file, lines) => {
  const several = /[a-z0-9)"*`]{2}[.?!]["*)]* +["*(]*[A-Z]/
  expect(lines.filter((line) => !/^\d+: \|/.test(line) && several.test(line))).toEqual([])
})

test.each(prose)('%s has no marks of a merge', (_file, lines) => {
  expect(lines.filter((line) => /^\d+: (<{7}|={7}|>{7})/.test(line))).toEqual([])
})
