import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { RedisProcess, RestFront } from '@sluice/faults'
import { bunProgram, denoProgram } from '@sluice/runtimes'
import type { Told } from './program.ts'

const program = path.join(import.meta.dirname, 'program.ts')
const condition = 'sluice-source'
const runtimes: Readonly<Record<string, readonly string[]>> = {
  Bun: [bunProgram(), 'run', `--conditions=${condition}`, program],
  Deno: [denoProgram(), 'run', '-A', '--no-lock', '--conditions', condition, program],
}
const clients: readonly Told['client'][] = ['a URL', 'ioredis', 'node-redis', 'REST']
const cases = Object.keys(runtimes).flatMap((runtime) => clients.map((client) => [runtime, client] as const))

let server: RedisProcess
let front: RestFront
beforeEach(async () => {
  server = await RedisProcess.prepare()
  await server.start()
  front = new RestFront(server.port)
  await front.start()
})
afterEach(async () => {
  await front.end()
  await server.end()
})

/** Runs the program, and does what is to be done at each of its lines. Answers the lines when it has ended by itself. */
async function linesOf(
  [file = '', ...flags]: readonly string[],
  told: Told,
  doAt: (line: unknown) => Promise<void>,
): Promise<unknown[]> {
  const child = spawn(file, [...flags, JSON.stringify(told)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  const exited = once(child, 'exit')
  const lines: unknown[] = []
  const late = setTimeout(() => child.kill('SIGKILL'), 50_000)
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(JSON.parse(line))
    await doAt(lines.at(-1))
  }
  const [code] = await exited
  clearTimeout(late)
  return [...lines, { code, complaints }]
}

describe.each(cases)('in %s, a store by %s', (runtime, client) => {
  it('counts exactly, lets callers wait, goes on without Redis, comes back, and keeps no process', async () => {
    const name = randomBytes(4).toString('hex')
    const told = { client, url: server.url, rest: { url: front.url, token: front.token }, name }
    const lines = await linesOf(runtimes[runtime] ?? [], told, async (line) => {
      if (typeof line === 'object') await server.kill()
      if (line === 'away') await server.start()
    })
    expect(lines).toEqual([
      { allowed: 5, sources: ['redis'], summary: [0, 5, 4, -1, 3600], held: 5 },
      'away',
      'back',
      { code: 0, complaints: '' },
    ])
  })
})
