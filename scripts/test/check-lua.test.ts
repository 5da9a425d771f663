import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

const root = path.join(scripts, '..')

/** A copy of lua/, which a test breaks. */
let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'lua-'))
  cpSync(path.join(root, 'lua'), folder, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function complaints(): Promise<readonly string[]> {
  const { code, stderr } = await ended(process.execPath, ['scripts/check-lua.mjs', folder], { cwd: root })
  expect(code).toBe(stderr === '' ? 0 : 1)
  return stderr.split('\n').filter((line) => line !== '')
}

// That there is nothing to find in what is in order, the check itself says at each run of `npm test`.
it('finds a name that is not declared in a function that nobody calls, and what is not Lua or not formatted', async () => {
  const files = ['include/bucket.lua', 'strategies/uniform.lua', 'queue/include/entry.lua', 'test/expiry.lua']
  for (const [i, file] of files.entries()) {
    const own = `\nlocal function idle_${i}(key)\n  return unheard_of_${i}(key)\nend\n`
    appendFileSync(path.join(folder, file), own)
  }
  appendFileSync(path.join(folder, 'strategies/gcra.lua'), 'local  x = = 1\n')
  const found = await complaints()
  for (const i of files.keys()) {
    const what = new RegExp(`: unheard_of_${i} is not declared in: return unheard_of_${i}\\(key\\)$`)
    expect(found).toContainEqual(expect.stringMatching(what))
  }
  expect(found).toContainEqual(expect.stringMatching(/^lua\/strategies\/gcra\.lua: /))
  expect(found).toContainEqual(expect.stringMatching(/^decide with all of gcra: .*expected near '='$/))
})

it('finds functions that nobody calls but themselves, and a local that nobody reads beside such a function', async () => {
  const files = ['include/bucket.lua', 'strategies/gcra.lua', 'queue/include/entry.lua', 'manage.lua']
  for (const [i, file] of files.entries()) {
    const own = `local function idle_${i}(n)\n  return n > 0 and idle_${i}(n - 1)\nend\n\n`
    const full = path.join(folder, file)
    // At the end of a script stands its answer.
    writeFileSync(full, readFileSync(full, 'utf8').replace(/^(?=local )/m, own))
  }
  const own = '\nlocal function idle(key)\n  local value = 1\n  value = 2\n  return key\nend\n'
  appendFileSync(path.join(folder, 'strategies/gcra.lua'), own)
  expect([...(await complaints())].sort()).toEqual([
    'idle is never read: local function idle(key)',
    ...[0, 1, 2, 3].map((i) => `idle_${i} is never read: local function idle_${i}(n)`),
    'value is never read in idle: local value = 1',
  ])
})
