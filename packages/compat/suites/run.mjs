// Runs another library's own tests with its import changed to ours:
//   node packages/compat/suites/run.mjs PEER CHECKOUT [words of a test's name ...]
// PEER is a file of this folder, CHECKOUT a folder with that library's repository, which stays as it is. Fails where a test
// fails that `cannot` does not name, and where one passes that it names. `stand-in` in the place of CHECKOUT runs a few tests of
// our own that are written as theirs: they show that all of this works.
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
import { tmpdir } from 'node:os'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { run } from '../../../scripts/child.mjs'
import { packed, tarballOf } from '../../../scripts/packed.mjs'
import { published } from '../../../scripts/published.mjs'
import { peers } from './peers.mjs'
import { freePort, startRedis } from './redis.mjs'
import { resultsOf } from './results.mjs'

const [peer, given, ...words] = process.argv.slice(2)
const isStandIn = given === 'stand-in'
const checkout = isStandIn ? path.join(import.meta.dirname, 'stand-ins', peer) : given
if (!peers.includes(peer) || checkout === undefined || !existsSync(path.join(checkout, 'package.json'))) {
  console.error(`Usage: node packages/compat/suites/run.mjs ${peers.join('|')} CHECKOUT|stand-in [WORDS]`)
  console.error('CHECKOUT is a folder with the repository of that library.')
  process.exit(2)
}
const { suite } = await import(`./${peer}.mjs`)
const folder = mkdtempSync(path.join(tmpdir(), 'suite-'))
let redis
try {
  const port = await freePort()
  if (suite.redis) redis = await startRedis(port, folder)
  copy(port)
  await bundleInside()
  await install()
  process.exitCode = report(await test(port))
} finally {
  redis?.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** The tests, with `files` in the place of what they import. */
function copy(port) {
  for (const name of isStandIn ? ['test'] : suite.copies) {
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

/** What their tests know of a library's inside: by our sources, as our packages are bundled. */
async function bundleInside() {
  const { inside = [] } = suite
  if (inside.length === 0) return
  const sourceOf = (file) => [path.basename(file), path.join(import.meta.dirname, '../src', `${file}.ts`)]
  const bundle = await rolldown({
    input: Object.fromEntries(inside.map(sourceOf)),
    external: /^[^./]/,
    platform: 'node',
  })
  const dir = path.join(folder, 'inside')
  await bundle.write({ dir, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' })
  await bundle.close()
}

/** Our packages as they are published, and of the library's own dependencies those that its tests need. */
async function install() {
  const tarballs = await packed()
  const theirs = JSON.parse(readFileSync(path.join(checkout, 'package.json'), 'utf8'))
  const versions = { ...theirs.devDependencies, ...theirs.dependencies, ...suite.versions }
  const dependencies = Object.fromEntries(suite.needs.map((name) => [name, versions[name]]))
  for (const manifest of ours())
    dependencies[manifest.name] = `file:${path.join(tarballs, tarballOf(manifest))}`
  const overrides = Object.fromEntries(ours().map(({ name }) => [name, `$${name}`]))
  const { type } = theirs
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ private: true, type, dependencies, overrides }),
  )
  await must('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps'], folder)
}

/** @sluice/compat, and what it depends on of our packages. */
function ours() {
  const all = new Map(published().map(({ manifest }) => [manifest.name, manifest]))
  const names = new Set(['@sluice/compat'])
  // What is added is visited, too.
  for (const name of names) {
    for (const each of Object.keys(all.get(name).dependencies ?? {})) if (all.has(each)) names.add(each)
  }
  return [...names].map((name) => all.get(name))
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
    isStandIn || words.length > 0
      ? []
      : [...cannot.keys()].filter((name) => !tests.some((one) => one.name === name))
  console.log(`\n${peer}: ${passed.length} of ${tests.length} tests pass.`)
  for (const { name } of known) console.log(`cannot pass  ${name}\n             ${cannot.get(name)}`)
  for (const { name, why } of wrong) console.log(`fails        ${name}\n             ${why}`)
  for (const { name } of better) console.log(`passes, and should not, says ${peer}.mjs: ${name}`)
  for (const name of gone) console.log(`has not run, and is named in ${peer}.mjs: ${name}`)
  return passed.length > 0 && wrong.length + better.length + gone.length === 0 ? 0 : 1
}
