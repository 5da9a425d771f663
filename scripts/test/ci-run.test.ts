import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

/** A checkout with nothing but `.ci/run`, and a program that stands for npm. */
let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ci-'))
  cpSync(path.join(scripts, '../.ci'), path.join(folder, '.ci'), { recursive: true })
  mkdirSync(path.join(folder, 'bin'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function ciRun(npm: string): Promise<{ readonly code: number; readonly stdout: string }> {
  const program = path.join(folder, 'bin/npm')
  writeFileSync(program, `#!/usr/bin/env bash\n${npm}\n`)
  chmodSync(program, 0o755)
  const env = { PATH: `${path.dirname(program)}:${process.env.PATH}` }
  const { code, stdout } = await ended(path.join(folder, '.ci/run'), [], { cwd: folder, env })
  return { code, stdout }
}

describe('.ci/run', () => {
  // biome-ignore format: a table
  it.each([
    // npm                                            what npm does                                         exit   stdout
    ['prints counts and ends well',                   "echo '3 passed, 0 failed'",                          0,     '3 passed, 0 failed\n'],
    ['prints counts and fails',                       "echo '3 passed, 1 failed'; exit 1",                  1,     '3 passed, 1 failed\n'],
    ['prints something after the counts',             "echo '3 passed, 1 failed'; echo 'npm error'; exit 1", 1,    '3 passed, 1 failed\nnpm error\n\n3 passed, 1 failed\n'],
    ['prints no counts and ends well',                'echo hello',                                         1,     'hello\n\n0 passed, 1 failed\n'],
    ['prints nothing at all',                         'true',                                               1,     '\n0 passed, 1 failed\n'],
    ['has passed nothing and ends well',              "echo '0 passed, 0 failed'",                          1,     '0 passed, 0 failed\n\n0 passed, 1 failed\n'],
    ['fails, and its counts do not',                  "echo '3 passed, 0 failed'; exit 7",                  7,     '3 passed, 0 failed\n\n3 passed, 1 failed\n'],
    ['ends well, and its counts do not',              "echo '3 passed, 2 failed'",                          1,     '3 passed, 2 failed\n'],
    ['ends in the middle of a line',                  "echo '2 passed, 0 failed'; printf abc; exit 1",      1,     '2 passed, 0 failed\nabc\n2 passed, 1 failed\n'],
    ['is killed',                                     'echo hello; kill -KILL $$',                          137,   'hello\n\n0 passed, 1 failed\n'],
  ])('says how many passed in its last line where npm %s', async (_what, npm, code, stdout) => {
    expect(await ciRun(npm)).toEqual({ code, stdout })
  })
})
