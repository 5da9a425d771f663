import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { Program } from '../program.ts'

const root = path.resolve(__dirname, '../../../..')
const untracked = /(^|\/)(node_modules|dist|\.git|\.tmp|\.docs|\.next|\.svelte-kit|.*\.generated\.ts)$/

/** A checkout in which nothing has been installed. */
let checkout: string

beforeAll(() => {
  checkout = mkdtempSync(path.join(tmpdir(), 'fresh-'))
  const filter = (from: string) => !untracked.test(path.relative(root, from))
  cpSync(root, checkout, { recursive: true, filter })
})
afterAll(() => rmSync(checkout, { recursive: true, force: true }))

/** `npm start` there, with the packages that are on this machine already. */
function start(...flags: readonly string[]): Program {
  const notes = readFileSync(path.join(root, 'node_modules/.modules.yaml'), 'utf8')
  const [, store = ''] = /"?storeDir"?: "?([^"\n]+)/.exec(notes) ?? []
  const args = [path.join(checkout, 'scripts/run.mjs'), 'start', '--port', '0', ...flags]
  return new Program(process.execPath, args, { npm_config_store_dir: store })
}

it('npm start on a machine with nothing installs enough for the zoo, and little more', async () => {
  // Redis is away, which is said by the client that core takes as a peer.
  const program = start('--framework', 'express', '--redis', 'redis://127.0.0.1:1')
  try {
    const url = await program.prints(/http:\/\/127\.0\.0\.1:\d+/)
    const answers = [`${url}/`, `${url}/dashboard/`].map(async (page) => (await fetch(page)).status)
    expect(await Promise.all(answers)).toEqual([200, 200])
    // All that the tests need would be five times as much, and take a minute.
    expect(readdirSync(path.join(checkout, 'node_modules/.pnpm')).length).toBeLessThan(250)
    expect(await program.prints(/Redis does not answer \(.*/)).toContain('(not connected: ')
  } finally {
    program.signal('SIGTERM')
    await program.ended()
  }
})

it('the other frameworks and adapters load there too', async () => {
  const names = ['fastify', '@sluice/fastify', 'koa', '@sluice/koa']
  const load = `await Promise.all(${JSON.stringify(names)}.map((name) => import(name)))`
  const file = path.join(checkout, 'examples/zoo/load.mjs')
  writeFileSync(file, load)
  const program = new Program(process.execPath, ['--conditions=sluice-source', '--import', 'tsx', file])
  expect(await program.ended()).toBe(0)
  expect(program.stderr).toBe('')
})

it('the command line runs there too', async () => {
  const program = new Program(process.execPath, [path.join(checkout, 'scripts/sluice.mjs'), '--help'])
  expect(await program.ended()).toBe(0)
  expect(program.stderr).toBe('')
  expect(program.stdout).toContain('crowd')
})

it('each peer of the command line is there too: frameworks, the client of Redis and the service', async () => {
  const cli = path.join(checkout, 'packages/cli')
  const { peerDependencies } = JSON.parse(readFileSync(path.join(cli, 'package.json'), 'utf8'))
  const names = Object.keys(peerDependencies)
  expect(names).toEqual(expect.arrayContaining(['@sluice/server', 'ioredis', 'koa']))
  expect(names.filter((name) => !existsSync(path.join(cli, 'node_modules', name)))).toEqual([])
})
