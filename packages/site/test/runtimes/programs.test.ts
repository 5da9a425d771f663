import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '@sluice/faults/outage'
import { frameworks, programOf } from '../../src/playground/code.ts'

// Below a package that depends on all that the programs import.
const home = path.resolve(__dirname, '../../../../examples/zoo/.docs')
const written = { strategy: 'fixedWindow', fields: { limit: '2', window: '1h' } }
const flags = ['--conditions=sluice-source', '--import', 'tsx']

let folder: string
beforeAll(() => {
  mkdirSync(home, { recursive: true })
  folder = mkdtempSync(path.join(home, 'site-'))
  // As Nest's own starter has it.
  const compilerOptions = { target: 'es2022', experimentalDecorators: true, emitDecoratorMetadata: true }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The file of a framework's program, on this port. */
function fileOf(framework: string, port: number): string {
  const { program } = programOf(written, { framework, place: 'memory' })
  const file = path.join(folder, `${framework}.mts`)
  writeFileSync(file, program.replace('3000', String(port)))
  return file
}

/** The status of a request, as soon as the program listens. */
async function statusOf(url: string, program: ChildProcess): Promise<number> {
  for (;;) {
    if (program.exitCode !== null) throw new Error(`The program has ended with ${program.exitCode}.`)
    try {
      return (await fetch(url)).status
    } catch {
      await sleep(50)
    }
  }
}

/** Three requests of a client that may send two. */
async function statusesOf(framework: string): Promise<readonly number[]> {
  const port = await freePort()
  const program = spawn(process.execPath, [...flags, fileOf(framework, port)], {
    env: { ...process.env, TSX_TSCONFIG_PATH: path.join(folder, 'tsconfig.json') },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) statuses.push(await statusOf(`http://localhost:${port}/`, program))
    return statuses
  } finally {
    program.kill()
    if (program.exitCode === null && program.signalCode === null) await once(program, 'exit')
  }
}

test('the program for each framework limits requests', async () => {
  const servers = Object.keys(frameworks).filter((name) => name !== 'none')
  // All at once, as each takes a second to start.
  const found = await Promise.all(servers.map(async (name) => [name, await statusesOf(name)]))
  expect(found).toEqual(servers.map((name) => [name, [200, 200, 429]]))
})

test('the program without a framework asks a limiter', () => {
  const output = execFileSync(process.execPath, [...flags, fileOf('none', 0)], { encoding: 'utf8' })
  expect(output).toBe('true 1 null\n')
})
