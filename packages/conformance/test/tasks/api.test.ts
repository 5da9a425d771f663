import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { page, sectionOf } from '../docs/pages.ts'
import { onFreePort, Reader } from './reader.ts'
import { installsOf, programOf } from './steps.ts'

const section = sectionOf(page('docs/testing.md'), 'A whole application')
const rows = [...section.matchAll(/^\| (\S+) \| (as above|`(.*)`) \| `(.*)` \|$/gm)].map(
  ([, runner = '', , line, command = '']) => [runner, line, command] as const,
)

/** The programs that the commands begin. */
const bins: Readonly<Record<string, readonly string[]>> = {
  node: [],
  vitest: ['node_modules/vitest/vitest.mjs'],
  jest: ['node_modules/jest/bin/jest.js'],
}

describe('an API with plans and logins, of docs/testing.md', () => {
  let reader: Reader
  beforeAll(async () => {
    reader = new Reader({})
    await reader.install(...installsOf(section), 'vitest', 'jest', '@jest/globals')
    reader.write('app.mjs', programOf('docs/testing.md', 'app.mjs'))
  })
  afterAll(() => reader.leave())

  it('has tests for several runners', () => expect(rows.length).toBeGreaterThan(1))

  it.each(rows)('%s: both tests pass, and fail without the limits', async (_, line, command) => {
    const { code } = await onFreePort(programOf('docs/testing.md', 'app.test.mjs'))
    reader.write(
      'app.test.mjs',
      line === undefined ? code : code.replace(/^import .* from 'node:test'$/m, line),
    )
    const [, options = '', program = '', args = ''] =
      /^(?:NODE_OPTIONS=(\S+) )?(?:npx )?(\S+)(?: (.*))?$/.exec(command) ?? []
    const words = [
      ...(bins[program] ?? []),
      ...args
        .replaceAll("'", '')
        .split(' ')
        .filter((word) => word !== ''),
    ]
    const env = { NODE_OPTIONS: options }

    const passed = await reader.run(words, env)
    expect([passed.code, passed.output]).toEqual([0, expect.stringMatching(/pass(ed)?\D{1,4}2\b|\b2 passed/)])

    const app = programOf('docs/testing.md', 'app.mjs')
    reader.write('app.mjs', app.replaceAll(/limit: 2/g, 'limit: 200'))
    const failed = await reader.run(words, env)
    reader.write('app.mjs', app)
    expect([failed.code, failed.output]).toEqual([1, expect.stringMatching(/fail(ed)?\D{1,4}2\b|\b2 failed/)])
  })
})
