import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { installed } from '@sluice/faults/packed'
import { folderWith } from '../sluice.ts'
import { runPacked } from './run-packed.ts'

interface Coverage {
  readonly result: readonly { readonly url: string }[]
}

const manifest = JSON.parse(readFileSync(path.resolve(__dirname, '../../package.json'), 'utf8'))
const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
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

/** The dependencies of which a command has loaded a file, as Node's own coverage lists them. */
async function dependenciesLoadedBy(...args: readonly string[]): Promise<readonly string[]> {
  const coverage = path.join(folder, 'coverage')
  const { code, stderr } = await runPacked({ app, cwd: folder, env: { NODE_V8_COVERAGE: coverage } }, args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const files = readdirSync(coverage).map((name) => path.join(coverage, name))
  const urls = files.flatMap((file) => {
    const { result }: Coverage = JSON.parse(readFileSync(file, 'utf8'))
    return result.map(({ url }) => url)
  })
  rmSync(coverage, { recursive: true })
  const loaded = new Set(urls.map(packageOf))
  return dependencies.filter((name) => loaded.has(name))
}

/** Links to what is not ours are followed: the last folder of that name counts. */
function packageOf(url: string): string {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? ''
}

// biome-ignore format: a table
it.each([
  // command                                                what it loads besides
  [['--help'],                                              []],
  [['validate', 'limits.yaml'],                             []],
  [['explain', 'limits.yaml', 'user'],                      []],
  [['crowd', '--help'],                                     []],
  [['compare', 'access.log', '--policy', 'gcra:1/1m'],      ['cli-progress', 'cli-table3', 'string-width']],
  [['plan', '--users', '1e6', '--rate', '1/d', '--policy', 'gcra:1/1m'], ['cli-table3', 'string-width']],
  [['crowd', '4', '3', '--seconds', '1', '--only', 'log'],  ['@sluice/dashboard', '@sluice/telemetry', 'cli-progress', 'cli-table3', 'string-width']],
])('%j loads only the packages that it needs', async (args, besides) => {
  expect([...(await dependenciesLoadedBy(...args))].sort()).toEqual([...always, ...besides].sort())
})
