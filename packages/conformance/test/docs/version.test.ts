import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { page, proseOf, root } from './pages.ts'

const manifest = readFileSync(path.join(root, 'packages/core/package.json'), 'utf8')
const version: string = JSON.parse(manifest).version

/** By its numbers: 0.10 comes after 0.9. */
function isAfter(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) > 0
}

const ahead = 'is the next version, and not published yet'

test('docs/upgrading.md says of a version that is not there that it is not there, and of no other', () => {
  const upgrading = page('docs/upgrading.md')
  const named = [...proseOf(upgrading).matchAll(/(?<![\d.])(\d+\.\d+)(?![\d.]*\d)/g)].map(
    ([, each = '']) => each,
  )
  const newest = named.toSorted((a, b) => (isAfter(a, b) ? 1 : -1)).at(-1) ?? ''
  expect(newest).not.toBe('')
  const isAhead = isAfter(newest, version)
  expect(upgrading.text.includes(`\n${newest} ${ahead}`)).toBe(isAhead)
  expect(upgrading.text.includes(ahead)).toBe(isAhead)
  if (isAhead) expect(upgrading.text).toContain(`The packages are at version ${version}.`)
})

test('docs/which-limiter.md says which version there is', () => {
  expect(page('docs/which-limiter.md').text).toContain(`Sluice is at version ${version},`)
})
