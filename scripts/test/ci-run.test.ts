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

/** What `npm run test:trials` does, where the row is about `npm test`. */
const fine = "echo '4 passed, 0 failed'"

describe('.ci/run', () => {
  // biome-ignore format: a table
  it.each([
    // npm test                                what it does                                            exit   said              in all
    ['prints counts and ends well',            "echo '3 passed, 0 failed'",                            0,     '3 passed, 0 failed\n',            '7 passed, 0 failed'],
    ['prints counts and fails',                "echo '3 passed, 1 failed'; exit 1",                    1,     '3 passed, 1 failed\n',            '7 passed, 1 failed'],
    ['prints something after the counts',      "echo '3 passed, 1 failed'; echo 'npm error'; exit 1",  1,     '3 passed, 1 failed\nnpm error\n', '7 passed, 1 failed'],
    ['prints no counts and ends well',         'echo hello',                                           1,     'hello\n',                         '4 passed, 1 failed'],
    ['prints nothing at all',                  'true',                                                 1,     '',                                '4 passed, 1 failed'],
    ['has passed nothing and ends well',       "echo '0 passed, 0 failed'",                            1,     '0 passed, 0 failed\n',            '4 passed, 1 failed'],
    ['fails, and its counts do not',           "echo '3 passed, 0 failed'; exit 7",                    7,     '3 passed, 0 failed\n',            '7 passed, 1 failed'],
    ['ends well, and its counts do not',       "echo '3 passed, 2 failed'",                            1,     '3 passed, 2 failed\n',            '7 passed, 2 failed'],
    ['ends in the middle of a line',           "echo '2 passed, 0 failed'; printf abc; exit 1",        1,     '2 passed, 0 failed\nabc',         '6 passed, 1 failed'],
    ['is killed',                              'echo hello; kill -KILL $$',                            137,   'hello\n',                         '4 passed, 1 failed'],
  ])('says how many passed in its last line where npm test %s', async (_what, test, code, said, all) => {
    const npm = `if [[ $1 == test ]]; then ${test}; else ${fine}; fi`
    expect(await ciRun(npm)).toEqual({ code, stdout: `${said}4 passed, 0 failed\n\n${all}\n` })
  })

  it('ends with the tests that have failed in either of both', async () => {
    const npm = 'echo "failed: a%s\\n: $1"; echo "1 passed, 1 failed"; exit 1'
    const { stdout } = await ciRun(npm)
    expect(stdout).toMatch(/\n\nfailed: a%s\\n: test\nfailed: a%s\\n: run\n2 passed, 2 failed\n$/)
  })

  it('runs the trials, too, whatever has failed before, and fails where they do', async () => {
    const npm =
      'echo "$*"; if [[ $1 == test ]]; then echo "3 passed, 0 failed"; else echo "1 passed, 2 failed"; exit 3; fi'
    const stdout = 'test\n3 passed, 0 failed\nrun test:trials\n1 passed, 2 failed\n\n4 passed, 2 failed\n'
    expect(await ciRun(npm)).toEqual({ code: 3, stdout })
  })
})
