import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { bundleInto } from '@sluice/faults/bundle'

const root = path.resolve(__dirname, '../../..')
const own = path.resolve(__dirname, '..')
const programs = path.join(__dirname, 'runners')
let folder = ''

/** Puts the package into the project: its entries, and what no other package brings. */
async function install(
  name: string,
  more: Readonly<Record<string, string>> = {},
  external: readonly string[] = [],
): Promise<void> {
  const home = path.join(folder, 'node_modules/@sluice', name)
  const entries = Object.entries({ index: 'src/index.ts', ...more })
  const sources = entries.map(([entry, file]) => [entry, path.join(root, 'packages', name, file)])
  await bundleInto(home, Object.fromEntries(sources), { external })
  const exports = entries.map(([entry]) => [entry === 'index' ? '.' : `./${entry}`, `./${entry}.mjs`])
  const manifest = { name: `@sluice/${name}`, exports: Object.fromEntries(exports) }
  writeFileSync(path.join(home, 'package.json'), JSON.stringify(manifest))
}

/** A small project of somebody's, which has installed both packages: ES modules of plain JavaScript. */
beforeAll(async () => {
  mkdirSync(path.join(own, '.tmp'), { recursive: true })
  folder = mkdtempSync(path.join(own, '.tmp', 'project-'))
  await install('core', { internal: 'src/internal/index.ts' })
  await install('testing', {}, ['@sluice/*'])
  symlinkSync(path.join(own, 'node_modules/vitest'), path.join(folder, 'node_modules/vitest'))
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  copyFileSync(path.join(programs, 'vitest.ts'), path.join(folder, 'vitest.test.ts'))
  const others = { 'node-test': 'node-test.ts', shutdown: 'shutdown.ts' }
  const files = Object.entries(others).map(([name, file]) => [name, path.join(programs, file)])
  await bundleInto(folder, Object.fromEntries(files))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const execute = promisify(execFile)

/** As if no jest was around it. */
const alone = {
  JEST_WORKER_ID: undefined,
  NODE_ENV: undefined,
  NODE_OPTIONS: '',
  NODE_TEST_CONTEXT: undefined,
}

/** What a program of Node says, and whether it ended well, by itself. */
async function run(args: readonly string[], cwd = folder): Promise<{ code: unknown; said: string }> {
  const options = { cwd, timeout: 170_000, env: { ...process.env, ...alone, NO_COLOR: '1' } }
  const { code = 0, stdout, stderr } = await execute(process.execPath, args, options).catch((error) => error)
  return { code, said: `${stdout}${stderr}` }
}

describe('the project', () => {
  it('has tests of vitest that pass', async () => {
    const vitest = path.join(own, 'node_modules/vitest/vitest.mjs')
    const { code, said } = await run([vitest, 'run', '--root', folder, '--no-cache'])
    expect(said).toMatch(/Tests {2}6 passed/)
    expect(code).toBe(0)
  })

  it('has tests of node:test that pass', async () => {
    const { code, said } = await run(['--test', '--test-reporter', 'tap', 'node-test.mjs'])
    expect(said).toMatch(/^# fail 0$/m)
    expect(said).toMatch(/^# pass 5$/m)
    expect(code).toBe(0)
  })

  it('has a program that ends by itself', async () => {
    expect(await run(['shutdown.mjs'])).toEqual({ code: 0, said: 'SLUICE_CLOSED\nover\n' })
  })

  it('leaves nothing open in jest', async () => {
    const home = path.join(folder, 'jest')
    mkdirSync(home)
    copyFileSync(path.join(programs, 'open-handles.ts'), path.join(home, 'handles.test.ts'))
    const config = {
      rootDir: home,
      id: 'sluice',
      cacheDirectory: path.join(root, 'node_modules/.cache/jest'),
      transform: { '\\.ts$': path.join(root, 'scripts/jest/compile.mjs') },
      testEnvironmentOptions: { customExportConditions: ['sluice-source', 'node', 'node-addons'] },
      moduleNameMapper: { '^@sluice/core$': path.join(root, 'packages/core/src/index.ts') },
    }
    const jest = path.join(root, 'node_modules/jest/bin/jest.js')
    const { code, said } = await run([jest, '--detectOpenHandles', '--config', JSON.stringify(config)], root)
    expect(said).toMatch(/^Tests: +2 passed/m)
    expect(said).not.toContain('open handle')
    expect(code).toBe(0)
  })
})
