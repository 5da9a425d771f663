import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { installed } from '@sluice/faults/packed'
import { folderWith } from '../sluice.ts'
import { runPacked } from './run-packed.ts'
import { without } from './set-aside.ts'

const manifest = JSON.parse(readFileSync(path.resolve(__dirname, '../../package.json'), 'utf8'))
const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
const always = ['@sluice/core', '@sluice/http', '@sluice/limits', 'commander']

let folder = ''
let app = ''

beforeAll(async () => {
  app = await installed('@sluice/cli')
  folder = folderWith({
    'limits.yaml': 'schema:\n  user:\n    limits: [15, 30, 60]\n',
    'access.log': '192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET /a HTTP/1.1" 200 5\n',
  })
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Those that are installed with it. */
const dependencies = () => names.filter((name) => existsSync(path.join(app, 'node_modules', name)))

// biome-ignore format: a table
it.each([
  // command                                                what it needs besides
  [['--help'],                                              []],
  [['validate', 'limits.yaml'],                             []],
  [['explain', 'limits.yaml', 'user'],                      []],
  [['crowd', '--help'],                                     []],
  [['compare', 'access.log', '--policy', 'gcra:1/1m'],      ['cli-progress', 'cli-table3', 'string-width']],
  [['plan', '--users', '1e6', '--rate', '1/d', '--policy', 'gcra:1/1m'], ['cli-table3', 'string-width']],
  [['crowd', '4', '3', '--seconds', '1', '--only', 'log'],  ['@sluice/dashboard', '@sluice/telemetry', 'cli-progress', 'cli-table3', 'string-width']],
])('%j loads only the packages that it needs: it runs where no other is there', async (args, besides) => {
  const others = dependencies().filter((name) => ![...always, ...besides].includes(name))
  expect(others).not.toEqual([])
  const { code, stderr } = await without(app, others, () => runPacked({ app, cwd: folder }, args))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})
