import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { pages, root } from './pages.ts'

const recipe = /settle: (\(.*\) => \(.*? : undefined\))/g

function settlesOf(text: string): readonly string[] {
  return [...text.matchAll(recipe)].map(([, settle = '']) => settle)
}

it('every `settle` of the pages is run on all frameworks, with clients that hang up', () => {
  const list = path.join(root, 'packages/conformance/src/adapter/recipes.ts')
  const run = settlesOf(readFileSync(list, 'utf8'))
  const shown = pages().flatMap(({ text }) => settlesOf(text))
  expect(new Set(shown)).toEqual(new Set(run))
  // Each page spells it so that it is found here.
  const all = pages().flatMap(({ text }) => [...text.matchAll(/settle: \(/g)])
  expect(shown).toHaveLength(all.length)
})
