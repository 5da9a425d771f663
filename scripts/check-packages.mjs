// Checks the published packages as their users get them: packed, then installed in an empty folder. That
// takes a quarter of a minute, so what went well is remembered and not checked again.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { wrongImports } from './check-imports.mjs'
import { run, tool } from './child.mjs'
import { fingerprint, packed, tarballOf } from './packed.mjs'
import { writeUser } from './packed-user.mjs'
import { published } from './published.mjs'
import { root } from './setup.mjs'

const stampFile = path.join(root, 'node_modules', '.sluice-packages')
const packages = published()
const attw = ['--no-definitely-typed', '--no-color', '--no-emoji']
let failed = false

const wanted = fingerprint()
if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) {
  console.log('ok      nothing has changed since the last check')
} else {
  const folder = mkdtempSync(path.join(tmpdir(), 'packages-'))
  try {
    await checkPacked(folder, await packed())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  if (!failed) writeFileSync(stampFile, wanted)
}
process.exitCode = failed ? 1 : 0

/** Runs one check and prints its line, with the output of a failed one. Resolves to whether it passed. */
async function check(title, command, args, { timeoutMs = 180_000, ...options } = {}) {
  const signal = AbortSignal.timeout(timeoutMs)
  const { code, output } = await run(command, args, { capture: true, signal, ...options })
  const late = signal.aborted ? [`It was ended after ${timeoutMs / 1000} s.`] : []
  return report(title, code === 0 ? [] : [output.trimEnd(), ...late])
}

/** Prints a check's line, and what is wrong. Answers whether it passed. */
function report(title, wrong) {
  console.log([`${wrong.length === 0 ? 'ok    ' : 'not ok'}  ${title}`, ...wrong].join('\n'))
  if (wrong.length > 0) failed = true
  return wrong.length === 0
}

async function checkPacked(folder, tarballs) {
  await check('a bundle of one strategy in memory', process.execPath, ['scripts/check-bundle.mjs'])
  const waiting = packages.map(({ manifest }) => manifest)
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await checkPackage(folder, tarballs, next)
  }
  await Promise.all([lane(), lane()])
}

async function checkPackage(folder, tarballs, manifest) {
  const readme = readFileSync(path.join(root, 'packages', manifest.name.split('/')[1], 'README.md'), 'utf8')
  const title = (what) => `${manifest.name}: ${what}`
  const tarball = path.join(tarballs, tarballOf(manifest))
  await check(title('publint'), tool('publint'), ['run', tarball, '--strict'])
  if (manifest.exports) await check(title('attw'), tool('attw'), [tarball, ...attw, ...ignored(manifest)])

  const cwd = path.join(folder, manifest.name.split('/')[1])
  mkdirSync(cwd)
  const byName = new Map(packages.map((other) => [other.manifest.name, tarballOf(other.manifest)]))
  writeUser(cwd, manifest, (name) => `file:${path.join(tarballs, byName.get(name))}`)
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier']
  // What its users install beside it is downloaded here for the first time.
  if (!(await check(title('install'), 'npm', install, { cwd, timeoutMs: 480_000 }))) return
  const installed = path.join(cwd, 'node_modules', manifest.name)
  report(title('imports'), wrongImports(installed))
  report(title('package.json'), waysOut(installed))
  for (const name of Object.keys(manifest.publishConfig.bin ?? {})) {
    await check(title(`${name} --help`), path.join(cwd, 'node_modules', '.bin', name), ['--help'], { cwd })
  }
  if (!manifest.exports) return
  await check(title('import and require'), process.execPath, ['load.cjs'], { cwd })
  const jest = ['--rootDir', cwd, '--config', '{"transform":{}}']
  await check(title('jest without transforms'), tool('jest'), jest, { cwd })
  await check(title('types, node16'), tool('tsc'), ['-p', 'tsconfig.node16.json'], { cwd })
  await check(title('types, bundler'), tool('tsc'), ['-p', 'tsconfig.bundler.json'], { cwd })
  if (!readme.includes('TypeScript 5.4')) return
  const oldest = [path.join(root, 'node_modules/typescript-oldest/lib/tsc.js'), '-p', 'tsconfig.bundler.json']
  await check(title('types, TypeScript 5.4'), process.execPath, oldest, { cwd })
}

/** What in a package's package.json leads out of it, to files that its users do not have. */
function waysOut(folder) {
  const all = Object.entries(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')))
  const out = all.filter(([, value]) => JSON.stringify(value).includes('"../'))
  return out.map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
}

/**
 * The interfaces of other libraries are functions for `require`, as theirs are, and name their types: `export =` could not do both.
 */
function ignored({ name, moved }) {
  const rules = name === '@sluice/compat' ? ['--ignore-rules', 'missing-export-equals'] : []
  return moved.length > 0 ? [...rules, '--exclude-entrypoints', ...moved] : rules
}
