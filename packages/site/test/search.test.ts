import path from 'node:path'
import { expect, test } from '@jest/globals'
import { markdown } from '../src/markdown.ts'
import { searchOf } from '../src/search/engine.ts'
import { entriesOf } from '../src/search/script.ts'
import { synonymsOf } from '../src/search/synonyms.ts'
import { sectionsOf } from '../src/sections.ts'
import { readSources } from '../src/sources.ts'

const sources = readSources(path.resolve(__dirname, '../../..'))
const md = markdown({ pages: new Map(), repository: null })
const search = searchOf(
  sources.flatMap((source) => entriesOf(source, sectionsOf(md, source.text, { source }))),
)
const firstOf = (asked: string, most: number) =>
  search(asked)
    .slice(0, most)
    .map(({ url }) => url)

// What a reader types, and the section that answers it: among the first three, as others may have the words too.
test.each([
  ['graceful shutdown', 'reliability.html#startup-and-graceful-shutdown'],
  ['commonjs', 'index.html#install-and-limit-an-application'],
  ['install', 'index.html#install-and-limit-an-application'],
  ['which package', 'index.html#which-package'],
  ['429', 'http.html#refusals'],
  ['proxy', 'keys.html#behind-a-proxy'],
  ['test', 'testing.html#jest'],
  ['reset a user', 'keys.html#reset-a-user-or-an-address'],
  ['login limit', 'keys.html#login-limits'],
  ['which strategy', 'index.html#which-strategy'],
  ['trust proxy', 'keys.html#behind-a-proxy'],
  ['circuit breaker', 'reliability.html#the-circuit-breaker'],
  ['dry-run', 'http.html#shadow'],
  ['k8s', 'kubernetes.html'],
])('a search for “%s” finds %s', (asked, url) => {
  expect(firstOf(asked, 3)).toContain(url)
})

test('words such as “a” and “how to” count only where nothing else is asked', () => {
  const found = searchOf([
    ['one.html', 'One', 'A user', 'of a server'],
    ['two.html', 'Two', 'Reset', 'Users who are refused'],
    ['three.html', 'Three', 'How to', ''],
  ])
  expect(found('how to reset a user').map(({ url }) => url)).toEqual(['two.html'])
  expect(found('how to').map(({ url }) => url)).toContain('three.html')
})

test('a search finds what has a synonym of a word, behind what has the word', () => {
  const found = searchOf([
    ['one.html', 'One', 'Stop a server', ''],
    ['two.html', 'Two', 'Shutdown of a server', ''],
    ['three.html', 'Three', 'A server', ''],
  ])
  expect(found('shutdown server').map(({ url }) => url)).toEqual(['two.html', 'one.html'])
})

test('a search for words that no section has together finds those with any of them', () => {
  const found = searchOf([
    ['one.html', 'One', 'Apples', ''],
    ['two.html', 'Two', 'Pears', ''],
  ])
  expect(found('apples pears').map(({ url }) => url)).toEqual(['one.html', 'two.html'])
})

test('a word is no synonym of itself', () => {
  expect(synonymsOf('CommonJS')).toEqual(['cjs', 'require'])
  expect(synonymsOf('sluice')).toEqual([])
})
