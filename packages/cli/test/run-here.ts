import { readFileSync } from 'node:fs'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { format } from 'node:util'
import { jest } from '@jest/globals'
import { run } from '../src/program.ts'
import type { Ended } from './sluice.ts'

const { version } = JSON.parse(readFileSync(path.resolve(__dirname, '../package.json'), 'utf8'))

/** Runs a command line in this process, as in a pipe: nothing is a terminal. One at a time. */
export async function runHere(
  env: Readonly<Record<string, string>>,
  folder: string,
  args: readonly string[],
): Promise<Ended> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const replaced = {
    env: { ...process.env, ...env },
    stdin: Readable.from([]),
    stdout,
    stderr,
  }
  const before = Object.getOwnPropertyDescriptors(process)
  const from = process.cwd()
  const spies = [
    jest.spyOn(console, 'log').mockImplementation((...said) => void stdout.write(`${format(...said)}\n`)),
    jest.spyOn(console, 'error').mockImplementation((...said) => void stderr.write(`${format(...said)}\n`)),
  ]
  for (const [name, value] of Object.entries(replaced))
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true, writable: true })
  process.chdir(folder)
  const said = Promise.all([text(stdout), text(stderr)])
  try {
    const code = await run(args, version)
    for (const stream of [stdout, stderr]) stream.end()
    const [out, err] = await said
    return { code, stdout: out, stderr: err }
  } finally {
    process.chdir(from)
    for (const spy of spies) spy.mockRestore()
    for (const name of ['env', 'stdin', 'stdout', 'stderr'] as const)
      Object.defineProperty(process, name, before[name])
  }
}
