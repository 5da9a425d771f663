import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { blocksOf, page, root } from './pages.ts'

const run = promisify(execFile)
// Below a package that depends on all that the blocks import.
const home = path.join(root, 'examples/zoo/.docs')

/**
 * Runs the page's blocks `ts test` as their reader does, or those of their tests that `only` names, and answers how many tests have passed and
 * failed.
 */
export async function runPage(
  file: string,
  { env = {}, only = '' }: { readonly env?: NodeJS.ProcessEnv; readonly only?: string } = {},
): Promise<{ passed: number; failed: number; said: string }> {
  const blocks = blocksOf(page(file)).filter(({ info }) => info === 'ts test')
  mkdirSync(home, { recursive: true })
  const folder = mkdtempSync(path.join(home, 'page-'))
  try {
    for (const [i, { code }] of blocks.entries()) writeFileSync(path.join(folder, `page${i}.test.ts`), code)
    const config = {
      rootDir: folder,
      // What other tests of this repository have compiled.
      id: 'sluice',
      cacheDirectory: path.join(root, 'node_modules/.cache/jest'),
      transform: { '\\.ts$': path.join(root, 'scripts/jest/compile.mjs') },
      // What a reader's jest does, in less time, and however busy the machine is.
      testTimeout: 180_000,
      testEnvironment: path.join(root, 'scripts/jest/environment.mjs'),
      testEnvironmentOptions: { customExportConditions: ['sluice-source', 'node', 'node-addons'] },
    }
    const args = [
      path.join(root, 'node_modules/jest/bin/jest.js'),
      '--config',
      JSON.stringify(config),
      '-t',
      only,
    ]
    // As if no jest was around this one.
    const alone = { SLUICE_TEST_COUNTS: undefined, JEST_WORKER_ID: undefined, NODE_OPTIONS: '' }
    const { stderr } = await run(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...alone, ...env },
      maxBuffer: 2 ** 26,
    }).catch((error) => error)
    const said = String(stderr)
    const count = (word: string) => Number(new RegExp(`^Tests:.* (\\d+) ${word}`, 'm').exec(said)?.[1] ?? 0)
    // Behind the list of all that passed.
    return {
      passed: count('passed'),
      failed: count('failed'),
      said: said.slice(Math.max(0, said.indexOf('●'))),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
