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

async function ciRun(
  npm: string,
  limit = '10m',
): Promise<{ readonly code: number; readonly stdout: string }> {
  const program = path.join(folder, 'bin/npm')
  writeFileSync(program, `#!/usr/bin/env bash\n${npm}\n`)
  chmodSync(program, 0o755)
  const env = { PATH: `${path.dirname(program)}:${process.env.PATH}`, SLUICE_CI_LIMIT: limit }
  const { code, stdout } = await ended(path.join(folder, '.ci/run'), [], { cwd: folder, env })
  return { code, stdout }
}

describe('.ci/run', () => {
  // biome-ignore format: a table
  it.each([
    // npm test                                what it does                                            exit   said                               last line
    ['prints counts and ends well',            "echo '3 passed, 0 failed'",                            0,     '3 passed, 0 failed\n',            '3 passed, 0 failed'],
    ['prints counts and fails',                "echo '3 passed, 1 failed'; exit 1",                    1,     '3 passed, 1 failed\n',            '3 passed, 1 failed'],
    ['prints something after the counts',      "echo '3 passed, 1 failed'; echo 'npm error'; exit 1",  1,     '3 passed, 1 failed\nnpm error\n', '3 passed, 1 failed'],
    ['prints no counts and ends well',         'echo hello',                                           1,     'hello\n',                         '0 passed, 1 failed'],
    ['prints nothing at all',                  'true',                                                 1,     '',                                '0 passed, 1 failed'],
    ['has passed nothing and ends well',       "echo '0 passed, 0 failed'",                            1,     '0 passed, 0 failed\n',            '0 passed, 1 failed'],
    ['fails, and its counts do not',           "echo '3 passed, 0 failed'; exit 7",                    7,     '3 passed, 0 failed\n',            '3 passed, 1 failed'],
    ['ends well, and its counts do not',       "echo '3 passed, 2 failed'",                            1,     '3 passed, 2 failed\n',            '3 passed, 2 failed'],
    ['ends in the middle of a line',           "echo '2 passed, 0 failed'; printf abc; exit 1",        1,     '2 passed, 0 failed\nabc',         '2 passed, 1 failed'],
    ['is killed',                              'echo hello; kill -KILL $$',                            137,   'hello\n',                         '0 passed, 1 failed'],
  ])('says how many passed in its last line where npm test %s', async (_what, npm, code, said, last) => {
    expect(await ciRun(npm)).toEqual({ code, stdout: `${said}\n${last}\n` })
  })

  it('runs npm test and nothing else', async () => {
    const { stdout } = await ciRun('echo "npm $*"; echo "3 passed, 0 failed"')
    expect(stdout).toBe('npm test\n3 passed, 0 failed\n\n3 passed, 0 failed\n')
  })

  it('ends with the tests that have failed', async () => {
    const { stdout } = await ciRun(
      'echo "failed: a%s\\n: why"; echo "1 passed, 1 failed"; echo "npm error"; exit 1',
    )
    expect(stdout).toMatch(/\nnpm error\n\nfailed: a%s\\n: why\n1 passed, 1 failed\n$/)
  })

  it.each([
    ['npm test hangs, which has counted so far', '0.5s'],
    ['it is ended itself', '10m'],
  ])('asks for the counts and prints them where %s', async (_what, limit) => {
    // The real one prints its counts at its end, and what it has started may outlive it with its output open.
    const hangs = 'trap "" TERM\nsleep 100 & echo "it is $!"\ntrap "echo 5 passed, 0 failed; exit 143" TERM'
    const end = limit === '10m' ? 'kill -TERM "$(ps -o ppid= -p "$PPID")"' : ''
    const { code, stdout } = await ciRun(`${hangs}\n${end}\nwait`, limit)
    expect(stdout).toMatch(/\n5 passed, 0 failed\n\n5 passed, 1 failed\n$/)
    expect(code).not.toBe(0)
    process.kill(Number(/it is (\d+)/.exec(stdout)?.[1]), 'SIGKILL')
  })
})
