import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from '@jest/globals'
import { freePort, until } from '@sluice/faults/outage'
import { installed } from '@sluice/faults/packed'
import { blocksOf, page } from '../docs/pages.ts'

/** A program of a page that its reader saves and starts. */
interface Program {
  /** What the page installs before it; nothing else is there. */
  readonly packages: readonly string[]
  readonly code: string
}

function firstOf(file: string): Program {
  const blocks = blocksOf(page(file))
  const at = blocks.findIndex(({ info }) => info === 'ts')
  const commands = blocks.slice(0, at).flatMap(({ code }) => code.split('\n'))
  const install = commands.find((line) => line.startsWith('npm install '))
  return { packages: install?.split(' ').slice(2) ?? [], code: blocks[at]?.code ?? '' }
}

/** The same with `require`, of which the page has the first lines. */
function requiring({ packages, code }: Program, file: string): Program {
  const lines = blocksOf(page(file)).find((block) => block.code.includes(' = require('))?.code ?? ''
  return { packages, code: lines + code.replace(/^import .*\n/gm, '') }
}

let server: ChildProcess
let folder = ''
afterEach(async () => {
  if (server.exitCode === null && server.kill()) await once(server, 'exit')
  rmSync(folder, { recursive: true })
})

/** Starts the program as a file of this name, and answers its address. */
async function started({ packages, code }: Program, name: string): Promise<string> {
  folder = mkdtempSync(path.join(tmpdir(), 'first-'))
  symlinkSync(path.join(await installed(...packages), 'node_modules'), path.join(folder, 'node_modules'))
  // As `npm init` of npm 11 leaves it.
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "commonjs" }')
  const port = await freePort()
  writeFileSync(path.join(folder, name), code.replaceAll('3000', String(port)))
  server = spawn(process.execPath, [name], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  server.stderr?.setEncoding('utf8').on('data', (text) => {
    complaint += text
  })
  await until(async () => server.exitCode !== null || (await listens(port)), { what: `${name} listens` })
  expect(complaint).toBe('')
  return `http://localhost:${port}/`
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, 'localhost')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

describe('the first program of README.md', () => {
  const program = firstOf('README.md')
  it.each([
    ['app.mjs', program],
    ['app.cjs', requiring(program, 'README.md')],
  ])('as %s answers what the page says, after the install that it says', async (name, each) => {
    const url = await started(each, name)
    const said = /# ((?:\d{3} ?)+)$/m.exec(page('README.md').text)?.[1]?.split(' ') ?? []
    expect(said).toHaveLength(6)
    const began = performance.now()
    const got: string[] = []
    let last = new Headers()
    for (const _ of said) {
      const response = await fetch(url)
      got.push(String(response.status))
      last = response.headers
    }
    expect(got).toEqual(said)
    // A machine that took a second or two has them off its wait.
    const passed = Math.ceil((performance.now() - began) / 1000)
    const waits = Array.from({ length: passed + 1 }, (_, i) => Number(last.get('Retry-After')) + i)
    const stated = Number(/`Retry-After: (\d+)`/.exec(page('README.md').text)?.[1])
    expect(waits).toContain(stated)
  })
})

describe.each(['express', 'fastify', 'koa', 'http'])('the first program of packages/%s', (name) => {
  const file = `packages/${name}/README.md`

  it('answers after the install that its page says, and limits as it says', async () => {
    const url = await started(firstOf(file), 'app.mjs')
    const first = await fetch(url)
    expect([first.status, await first.text()]).toEqual([200, 'hello'])
    const limit = Number(first.headers.get('X-RateLimit-Limit'))
    expect(page(file).text).toContain(`Each client address may send ${limit} requests at once`)
    const rest = await Promise.all(Array.from({ length: 2 * limit }, () => fetch(url)))
    const refused = rest.filter(({ status }) => status === 429)
    expect(refused).not.toHaveLength(0)
    expect(refused.every(({ headers }) => headers.get('Retry-After') === '1')).toBe(true)
  })
})
