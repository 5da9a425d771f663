// What the house weighs: `npm run measure` prints the table by which a change of its shape is judged.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { bundleOfOneStrategy, installedKilobytes } from './bundle-size.mjs'
import { countOfNames } from './internal-names.mjs'
import { root } from './setup.mjs'

/** The TypeScript of a folder that somebody has written. */
function sourcesIn(folder) {
  const whole = path.join(root, folder)
  if (!existsSync(whole)) return []
  return readdirSync(whole, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) => /\.c?ts$/.test(file) && !/\.(generated|d)\.ts$|node_modules|(^|\/)\.?(dist|tmp)\//.test(file),
    )
    .map((file) => path.join(folder, file))
}

function linesOf(files) {
  return files.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0)
}

function textOf(file) {
  return readFileSync(path.join(root, file), 'utf8')
}

/** The files that the page on design says a request passes; a test compares them with those that ran. */
function onTheWay() {
  const [, text = ''] =
    /^## One request, file by file$([\s\S]*?)What such a request does not pass through:/m.exec(
      textOf('docs/design.md'),
    ) ?? []
  return new Set([...text.matchAll(/`[\w/.-]+\.(?:ts|lua)`/g)].map(String)).size
}

/** Where some names are reached by the name of a matter, both numbers. */
function namesOf(pkg) {
  const { names, all } = countOfNames(pkg)
  return all === names ? names : `${names}, and ${all} with those behind the names of matters`
}

async function kilobytes(strategy) {
  return (await bundleOfOneStrategy(strategy)).kilobytes.toFixed(1)
}

const packages = readdirSync(path.join(root, 'packages'))
const core = sourcesIn('packages/core/src')
const { peerDependenciesMeta } = JSON.parse(textOf('packages/core/package.json'))
const rows = [
  ['core, lines / files', `${linesOf(core)} / ${core.length}`],
  ['all sources, lines', linesOf(packages.flatMap((name) => sourcesIn(`packages/${name}/src`)))],
  ['all tests, lines', linesOf(packages.flatMap((name) => sourcesIn(`packages/${name}/test`)))],
  ['files on the way, Fastify and Redis', onTheWay()],
  ['names of @sluice/core/internal', namesOf('core')],
  ['names of @sluice/http/internal', namesOf('http')],
  ['optional peers of core', Object.keys(peerDependenciesMeta).join(', ')],
  ['a limiter in memory, bundled and minified', `${await kilobytes('fixedWindow')} kB`],
  ['the same whose callers can wait', `${await kilobytes('gcra')} kB`],
  ['core, http and express, as installed', `${installedKilobytes().toFixed(0)} kB`],
]
const width = Math.max(...rows.map(([name]) => name.length))
for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${value}`)
