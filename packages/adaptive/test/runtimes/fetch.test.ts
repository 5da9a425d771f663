import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { bunProgram, denoProgram } from '@sluice/runtimes'

const program = path.join(import.meta.dirname, 'program.ts')

test.each([
  ['Bun', bunProgram, ['run', '--conditions=sluice-source', program]],
  ['Deno', denoProgram, ['run', '-A', '--no-lock', '--conditions', 'sluice-source', program]],
] as const)(
  'in %s a busy server answers 503 at once, and its place is free when the handler is over',
  async (_name, find, args) => {
    const { stdout } = await promisify(execFile)(find(), [...args], { timeout: 50_000 })
    expect(JSON.parse(stdout)).toEqual({
      text: 'hello',
      refused: [503, '2', 2],
      caller: 'gone',
      whileItWorks: 1,
      again: 200,
    })
  },
)
