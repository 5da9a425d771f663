import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { RedisProcess } from '@sluice/conformance'
import { type Asked, clients, keys, limit } from './start-settings.ts'

// Each starts processes, which takes what the machine needs for it.
jest.setTimeout(120_000)

const root = path.join(import.meta.dirname, '../../../..')
const processes = 4

/** Runs a program of this folder to its end, and reads what it has printed. */
async function run<Printed>(program: string, ...args: readonly string[]): Promise<Printed> {
  const file = path.join(import.meta.dirname, program)
  const command = ['--conditions=sluice-source', '--import', 'tsx', file, ...args]
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root })
  return JSON.parse(stdout) as Printed // the program prints nothing else
}

describe('processes that ask from their first moment on, without waiting for the store', () => {
  let server: RedisProcess
  beforeEach(async () => {
    server = await RedisProcess.prepare()
    await server.start()
  })
  afterEach(() => server.end())

  it.each(clients)('admit together exactly the limit, with %s', async (client) => {
    const all = await Promise.all(
      Array.from({ length: processes }, () => run<Asked>('starting.ts', client, server.url)),
    )
    expect(all.map(({ sources, failures }) => [Object.keys(sources), failures])).toEqual(
      all.map(() => [['redis'], []]),
    )
    for (const key of keys) {
      const admitted = all.reduce((sum, asked) => sum + (asked.admitted[key] ?? 0), 0)
      expect({ key, admitted }).toEqual({ key, admitted: limit })
    }
  })
})
