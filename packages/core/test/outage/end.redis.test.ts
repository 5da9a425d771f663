import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import { FaultyServer, RedisProcess } from '@sluice/faults/outage'
import { socket } from '@sluice/faults/redis-socket'
import type { Closed } from './close-in-flight.ts'
import type { Printed } from './program.ts'

const asking = bundled(path.join(import.meta.dirname, 'program.ts'))
const closing = bundled(path.join(import.meta.dirname, 'close-in-flight.ts'))

/** Runs the program to its end: an unhandled rejection ends it with an error, something left open not at all. */
async function run(url: string): Promise<{ printed: Printed; errors: string; lingeredMs: number }> {
  const program = await asking()
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, url], { timeout: 8000 }, (error, output, errors) => {
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

/** Runs the program that closes its store in mid-request: `trouble` befalls the server once it was used. */
async function closeInFlight(
  url: string,
  trouble: () => void,
): Promise<{ closed: Closed; endedAtMs: number }> {
  const child = spawn(process.execPath, [await closing(), url], {
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 8000,
  })
  await once(child.stdout, 'data')
  trouble()
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  child.stdin.write('go on')
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  const closed = JSON.parse(printed) as Closed // the program prints nothing else
  return { closed, endedAtMs: Date.now() }
}

describe('a program that closes its store with requests under way', () => {
  let server: RedisProcess
  let cable: FaultyServer
  beforeEach(async () => {
    server = await RedisProcess.prepare()
    await server.start()
    cable = new FaultyServer(server.port)
    await cable.start()
  })
  afterEach(() => Promise.all([cable.end(), server.end()]))

  // biome-ignore format: a table
  it.each<[string, () => unknown]>([
    // Redis                     how it comes to that
    ['is stopped',               () => server.hang()],
    ['is behind a cut cable',    () => cable.cutCables()],
  ])('answers them all, and ends within a second: Redis %s', async (_what, trouble) => {
    const { closed, endedAtMs } = await closeInFlight(cable.url, () => void trouble())
    expect(closed.sources).toEqual(Array.from({ length: 5 }, () => 'fallback'))
    expect(endedAtMs - closed.doneAtMs).toBeLessThan(1000)
  })
})
