import { execFile } from 'node:child_process'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { FaultyServer, RedisProcess } from '@sluice/conformance'
import { socket } from '../redis-socket.ts'
import type { Printed } from './program.ts'

jest.setTimeout(20_000)

const root = path.join(import.meta.dirname, '../../../..')
const program = path.join(import.meta.dirname, 'program.ts')

/** Runs the program to its end: an unhandled rejection ends it with an error, something left open not at all. */
function run(url: string): Promise<{ printed: Printed; errors: string; lingeredMs: number }> {
  const command = ['--conditions=sluice-source', '--import', 'tsx', program, url]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, { cwd: root, timeout: 8000 }, (error, output, errors) => {
      if (error === null) {
        const printed = JSON.parse(output) as Printed // the program prints nothing else
        resolve({ printed, errors, lingeredMs: Date.now() - printed.doneAtMs })
      } else reject(new Error(`${error.signal ?? error.code}: ${output}${errors}`))
    })
  })
}

describe('a program that closes its store', () => {
  const faulty = new FaultyServer(socket)
  const hanging = new FaultyServer(socket)
  let gone: RedisProcess
  let stopped: RedisProcess

  beforeAll(async () => {
    gone = await RedisProcess.prepare()
    stopped = await RedisProcess.prepare()
    await Promise.all([faulty.start(), hanging.start(), stopped.start()])
    hanging.become({ fault: 'silence' })
    faulty.become({ fault: 'hang up' })
    stopped.hang()
  })
  afterAll(() => Promise.all([faulty.end(), hanging.end(), stopped.end(), gone.end()]))

  // biome-ignore format: a table
  it.each<[string, () => string]>([
    // server                             its address
    ['that was never there',              () => gone.url],
    ['that accepts and never answers',    () => hanging.url],
    ['that hangs up in mid-reply',        () => faulty.url],
    ['that is stopped',                   () => stopped.url],
  ])('ends by itself, with nothing unhandled: a server %s', async (_server, url) => {
    const { printed, errors, lingeredMs } = await run(url())
    expect(errors).toBe('')
    expect(lingeredMs).toBeLessThan(1000)
    expect(printed.answers.map(({ choice, source, allowed }) => `${choice} ${source} ${allowed}`)).toEqual([
      'local fallback true',
      'local fallback true',
      'local fallback true',
      ...Array.from({ length: 3 }, () => 'allow none true'),
      ...Array.from({ length: 3 }, () => 'deny none false'),
    ])
  })
})
