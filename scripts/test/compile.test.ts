import { readdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, it } from '@jest/globals'
import { SmallProject, scripts } from './small-project.ts'

const transformer = JSON.stringify(path.join(scripts, 'jest/compile.mjs'))
const reads = "test('reads', () => expect(require('../shared.ts').shared).toBe(1))"
const tests = new SmallProject(
  { 'shared.ts': 'export const shared: number = 1', 'one/a.test.js': reads, 'two/a.test.js': reads },
  `id: 'both', cacheDirectory: '<rootDir>/cache', transform: { '\\\\.ts$': ${transformer} }`,
)
afterAll(() => tests.remove())

it('a file that two projects share is compiled once', async () => {
  expect((await tests.runByHand('--runInBand')).stdout).toBe('\n2 passed, 0 failed\n')
  const kept = readdirSync(path.join(tests.folder, 'cache'), { recursive: true }).map(String)
  expect(kept.filter((file) => /\/shared_[0-9a-f]+$/.test(file))).toHaveLength(1)
})
