// Runs another library's own tests with its import changed to ours:
//   node packages/compat/suites/run.mjs PEER CHECKOUT [words of a test's name ...]
// PEER is a file of this folder, CHECKOUT a folder with that library's repository, which stays as it is. Fails where a test
// fails that `cannot` does not name, and where one passes that it names.
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from '../../../scripts/child.mjs'
import { redisServer } from '../../../scripts/programs.mjs'
import { published } from '../../../scripts/published.mjs'
import { pnpm } from '../../../scripts/setup.mjs'
import { resultsOf } from './results.mjs'

const [peer, checkout, ...words] = process.argv.slice(2)
const peers = readdirSync(import.meta.dirname)
  .filter((name) => !['run.mjs', 'results.mjs'].includes(name) && name.endsWith('.mjs'))
  .map((name) => name.slice(0, -'.mjs'.length))
if (!peers.includes(peer) || checkout === undefined || !existsSync(path.join(checkout, 'package.json'))) {
  console.error(`Usage: node packages/compat/suites/run.mjs ${peers.join('|')} CHECKOUT [WORDS]`)
  console.error('CHECKOUT is a folder with the repository of that library.')
  process.exit(2)
}
const { suite } = await import(`./${peer}.mjs`)
const folder = mkdtempSync(path.join(tmpdir(), 'suite-'))
let redis
try {
  const port = await freePort()
  if (suite.redis) redis = await startRedis(port)
  copy(port)
  await install()
  process.exitCode = report(await test(port))
} finally {
  redis?.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** The tests, with `files` in the place of what they import. */
function copy(port) {
  for (const name of suite.copies) {
    const from = path.join(checkout, name)
    cpSync(from, path.join(folder, name), {
      recursive: true,
      filter: (file) => !file.includes('node_modules'),
    })
  }
  for (const [name, text] of Object.entries(suite.files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  if (suite.change === undefined) return
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.[cm]?[jt]s$/.test(name)) continue
    const file = path.join(folder, name)
    writeFileSync(file, suite.change(readFileSync(file, 'utf8'), name, { port }))
  }
}

/** Our packages as they are published, and of the library's own dependencies those that its tests need. */
async function install() {
  await must(process.execPath, ['scripts/build.mjs'])
  const names = ['@sluice/core', '@sluice/compat']
  const filters = names.flatMap((name) => ['--filter', name])
  const { command, args } = pnpm([...filters, 'pack', '--pack-destination', folder])
  await must(command, args)
  const theirs = JSON.parse(readFileSync(path.join(checkout, 'package.json'), 'utf8'))
  const versions = { ...theirs.devDependencies, ...theirs.dependencies, ...suite.versions }
  const dependencies = Object.fromEntries(suite.needs.map((name) => [name, versions[name]]))
  for (const { manifest } of published().filter((one) => names.includes(one.manifest.name))) {
    dependencies[manifest.name] =
      `file:./${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`
  }
  const overrides = { '@sluice/core': '$@sluice/core' }
  const { type } = theirs
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ private: true, type, dependencies, overrides }),
  )
  await must('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps'], folder)
}

async function must(command, args, cwd) {
  const { code, output } = await run(command, args, { cwd, capture: true })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`)
}

async function test(port) {
  const results = path.join(folder, suite.results ?? 'results.json')
  const { command, env } = suite.run({ port, results })
  const signal = AbortSignal.timeout(10 * 60_000)
  const [program, ...args] = command
  await run(program, args, { cwd: folder, env: { NO_COLOR: '1', ...env }, signal })
  return resultsOf(results).filter(({ name }) => words.every((word) => name.includes(word)))
}

function report(tests) {
  const cannot = new Map(Object.entries(suite.cannot))
  const passed = tests.filter(({ ok }) => ok)
  const known = tests.filter(({ ok, name }) => !ok && cannot.has(name))
  const wrong = tests.filter(({ ok, name }) => !ok && !cannot.has(name))
  const better = passed.filter(({ name }) => cannot.has(name))
  const gone =
    words.length > 0 ? [] : [...cannot.keys()].filter((name) => !tests.some((one) => one.name === name))
  console.log(`\n${peer}: ${passed.length} of ${tests.length} tests pass.`)
  for (const { name } of known) console.log(`cannot pass  ${name}\n             ${cannot.get(name)}`)
  for (const { name, why } of wrong) console.log(`fails        ${name}\n             ${why}`)
  for (const { name } of better) console.log(`passes, and should not, says ${peer}.mjs: ${name}`)
  for (const name of gone) console.log(`has not run, and is named in ${peer}.mjs: ${name}`)
  return passed.length > 0 && wrong.length + better.length + gone.length === 0 ? 0 : 1
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

function startRedis(port) {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
  const server = spawn(redisServer(), args, { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)))
    server.stdout.on('data', (chunk) => String(chunk).includes('eady to accept') && resolve(server))
  })
}
