import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { createLimiter, tokenBucket } from '@sluice/core'
import { RedisProcess } from '@sluice/faults'
import { bundled } from '@sluice/faults/bundle'
import type { Called } from './calling.ts'

// It starts processes, which takes what the machine needs for it.
jest.setTimeout(120_000)

const processes = 4
const program = bundled(path.join(__dirname, 'calling.ts'))

async function call(...args: readonly string[]): Promise<Called> {
  const { stdout } = await promisify(execFile)(process.execPath, [await program(), ...args])
  return JSON.parse(stdout) as Called // the program prints nothing else
}

let server: RedisProcess
beforeEach(async () => {
  server = await RedisProcess.prepare()
  await server.start()
})
afterEach(() => server.end())

/** An API with ten requests a second for all, of which ten may come at once. */
async function startApi(): Promise<{ api: Server; url: string; refusals: () => number }> {
  let refused = 0
  const bucket = createLimiter({ policy: tokenBucket({ capacity: 10, count: 10, period: '1s' }) })
  const api = createServer(async (_request, response) => {
    const { allowed } = await bucket.check('all')
    if (!allowed) refused++
    response.writeHead(allowed ? 200 : 429).end()
  }).listen(0, '127.0.0.1')
  await once(api, 'listening')
  const { port } = api.address() as AddressInfo // it listens on a port
  return { api, url: `http://127.0.0.1:${port}/`, refusals: () => refused }
}

describe('four processes that call an API as the page on waiting says', () => {
  it('never overrun it, from their first call on', async () => {
    const { api, url, refusals } = await startApi()
    const all = await Promise.all(Array.from({ length: processes }, () => call(url, server.url)))
    expect(all).toEqual(all.map(() => ({ statuses: { 200: 25 }, sources: ['redis'] })))
    expect(refusals()).toBe(0)
    api.closeAllConnections()
    api.close()
  })
})
