import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { manifest, readme, section, source, test } from './new-ability/tally.ts'
import { Copy } from './new-strategy/copy.ts'

let copy: Copy

/** The five steps of CONTRIBUTING.md, for an ability that is a store around a store and an observer. */
beforeAll(async () => {
  copy = new Copy()
  const state = JSON.parse(copy.read('packages/state/package.json').replaceAll('/state', '/tally'))
  copy.write('packages/tally/package.json', JSON.stringify({ ...state, ...manifest }))
  copy.link('tally', 'core')
  copy.write('packages/tally/src/tally.ts', source)
  copy.write('packages/tally/src/index.ts', "export { Refusals, tallied } from './tally.ts'\n")
  copy.write('packages/tally/test/tally.test.ts', test)
  copy.write('packages/tally/README.md', readme)
  const asked = 'who counts what a store is asked'
  copy.derive('README.md', 'README.md', [
    [
      '| [`@sluice/state`]',
      `| [\`@sluice/tally\`](packages/tally/README.md) | ${asked} |\n| [\`@sluice/state\`]`,
    ],
  ])
  copy.derive('docs/design.md', 'docs/design.md', [
    ['| `@sluice/state` |', `| \`@sluice/tally\` | ${asked} | \`@sluice/core\` | |\n| \`@sluice/state\` |`],
    ['| `packages/testing` |', '| `packages/tally` | what a store is asked |\n| `packages/testing` |'],
    ['of the twenty-one as', 'of the twenty-two as'],
  ])
  copy.derive('docs/api.md', 'docs/api.md', [
    ['## `@sluice/testing`\n', `${section}## \`@sluice/testing\`\n`],
  ])
  expect(await copy.node('scripts/build-lua.mjs')).toMatchObject({ code: 0 })
})
afterAll(() => copy.remove())

describe('an ability that is added at a seam', () => {
  it('touches its own package and the pages that name it, and nothing of core', () => {
    expect([...copy.touched].sort()).toEqual([
      'README.md',
      'docs/api.md',
      'docs/design.md',
      'packages/tally/README.md',
      'packages/tally/package.json',
      'packages/tally/src/index.ts',
      'packages/tally/src/tally.ts',
      'packages/tally/test/tally.test.ts',
    ])
  })

  it('is a store like any other, with which limiters count, and its pages name all of it', async () => {
    const { code, stderr } = await copy.jest(
      'packages/tally',
      'scripts/test/manifests',
      'packages/conformance/test/docs/names',
      '--selectProjects',
      'unit',
      'docs',
      '--maxWorkers=1',
    )
    expect(code === 0 ? '' : stderr).toBe('')
    expect(stderr).toMatch(/Test Suites: .*3 passed/)
  }, 300_000)
})
